import type { QueryClient, QueryKey } from '@tanstack/react-query'
import type { RecoveryReadiness } from '../../shared/api/backup-readiness.ts'
import { backupKeys } from './backup-keys.ts'

/** At night thousands of checks end, one after the other: so long a list is only read again every minute. */
const devicesReadOften = 1000

/** Something has changed how well a device could be brought back. */
export function staleReadiness(client: QueryClient, deviceId: string, stale: (key: QueryKey) => void): void {
  stale(backupKeys.readinessOf(deviceId))
  for (const [key, known] of client.getQueriesData<RecoveryReadiness>({ queryKey: backupKeys.readinessLists })) {
    if (!known || known.devices.length > devicesReadOften) continue
    stale(key)
    stale(backupKeys.health)
  }
}
