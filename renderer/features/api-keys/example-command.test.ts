import { expect, test } from 'vitest'
import { exampleCommand } from './example-command.ts'

const facts = { origin: 'https://box.local:8443', key: 'svc_abc', isOwnAuthority: true }

test('the line reads what the key may read, and checks who answers', () => {
  expect(exampleCommand({ ...facts, scopes: ['users:read', 'devices:read'] })).toBe(
    "curl --cacert homeport-ca.crt -H 'X-API-Key: svc_abc' https://box.local:8443/api/v1/devices",
  )
  expect(exampleCommand({ ...facts, scopes: ['users:read'], isOwnAuthority: false })).toBe(
    "curl -H 'X-API-Key: svc_abc' https://box.local:8443/api/v1/users",
  )
  expect(exampleCommand({ ...facts, scopes: ['ai:execute_admin'] })).toContain('/api/v1/devices')
})

test('there is no line for a key that can read nothing', () => {
  expect(exampleCommand({ ...facts, scopes: [] })).toBeNull()
  expect(exampleCommand({ ...facts, scopes: ['devices:write'] })).toBeNull()
})
