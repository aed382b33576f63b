import { QueryClient, type QueryKey } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { backupKeys } from './backup-keys.ts'
import { staleReadiness } from './stale-readiness.ts'

/** What is read again when a check of a device has ended, while a list of so many devices is known. */
function staleWith(devices: number): QueryKey[] {
  const client = new QueryClient()
  client.setQueryData([...backupKeys.readinessLists, { orgId: 'org' }], { devices: Array.from({ length: devices }) })
  const keys: QueryKey[] = []
  staleReadiness(client, 'device', (key) => void keys.push(key))
  return keys
}

test('a check makes its device and the list be read again, but not a list of thousands', () => {
  const ofDevice = backupKeys.readinessOf('device')
  expect(staleWith(3)).toEqual([ofDevice, [...backupKeys.readinessLists, { orgId: 'org' }], backupKeys.health])
  expect(staleWith(1001)).toEqual([ofDevice])
})
