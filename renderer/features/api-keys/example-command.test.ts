import { expect, test } from 'vitest'
import { exampleCommand } from './example-command.ts'

const facts = { origin: 'https://box.local:8443', key: 'svc_abc', isOwnAuthority: true }

test('the example command reads something the key may read, and verifies the server', () => {
  expect(exampleCommand({ ...facts, scopes: ['users:read', 'devices:read'] })).toBe(
    "curl --cacert homeport-ca.crt -H 'X-API-Key: svc_abc' https://box.local:8443/api/v1/devices",
  )
  expect(exampleCommand({ ...facts, scopes: ['users:read'], isOwnAuthority: false })).toBe(
    "curl -H 'X-API-Key: svc_abc' https://box.local:8443/api/v1/users",
  )
  expect(exampleCommand({ ...facts, scopes: ['ai:execute_admin'] })).toContain('/api/v1/devices')
})

test('a key that can read nothing has no example command', () => {
  expect(exampleCommand({ ...facts, scopes: [] })).toBeNull()
  expect(exampleCommand({ ...facts, scopes: ['devices:write'] })).toBeNull()
})
