import type { Refusals } from './refusals.ts'

export const backupSnapshotsErrors = {
  backup_snapshot_not_found: {
    status: 404,
    error: 'Snapshot not found',
    onScreen: 'This snapshot no longer exists.',
  },
} as const satisfies Refusals
