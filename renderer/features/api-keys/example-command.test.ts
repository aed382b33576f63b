import { expect, test } from 'vitest'
import { tryLine } from './example-command.ts'

const facts = { origin: 'https://box.local:8443', key: 'svc_abc', isOwnAuthority: true }

test('the line reads what the key may read, and checks who answers', () => {
  expect(tryLine({ ...facts, scopes: ['users:read', 'devices:read'] })).toBe(
    "curl --cacert homeport-ca.crt -H 'X-API-Key: svc_abc' https://box.local:8443/api/v1/devices",
  )
  expect(tryLine({ ...facts, scopes: ['users:read'], isOwnAuthority: false })).toBe(
    "curl -H 'X-API-Key: svc_abc' https://box.local:8443/api/v1/users",
  )
  expect(tryLine({ ...facts, scopes: ['ai:execute_admin'] })).toContain('/api/v1/devices')
})

test('there is no line for a key that can read nothing', () => {
  expect(tryLine({ ...facts, scopes: [] })).toBeNull()
  expect(tryLine({ ...facts, scopes: ['devices:write'] })).toBeNull()
})
