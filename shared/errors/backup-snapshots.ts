import type { Refusals } from './refusals.ts'

export const backupSnapshotsErrors = {
  backup_snapshot_not_found: {
    status: 404,
    error: 'Snapshot not found',
    onScreen: 'This snapshot no longer exists.',
  },
  device_has_backups: {
    status: 409,
    error: 'The device has backups; delete its snapshots first',
    onScreen: 'There are backups of this device. Delete them first.',
  },
} as const satisfies Refusals
