import { useQuery } from '@tanstack/react-query'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import { siblingsQuery } from '../../data/backup-snapshots.ts'
import { deviceQuery } from '../../data/devices.ts'

/** Snapshots of the same device in the same storage, this one among them, the newest first. */
export function useSiblings(snapshot: BackupSnapshot) {
  const device = useQuery(deviceQuery(snapshot.deviceId))
  const orgId = device.data?.orgId
  const siblings = useQuery({ ...siblingsQuery(snapshot, orgId ?? ''), enabled: orgId !== undefined })
  return {
    data: siblings.data?.data,
    error: device.error ?? siblings.error,
    refetch: device.error ? device.refetch : siblings.refetch,
  }
}
