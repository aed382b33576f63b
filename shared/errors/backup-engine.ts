import type { Refusals } from './refusals.ts'

/** Where the appliance itself is to read a repository, without the device. */
export const backupEngineErrors = {
  backup_out_of_reach: {
    status: 409,
    error: 'Only the device itself can reach this storage',
    onScreen: 'This storage is a folder on the device, so the appliance can’t read it. Restore to a device instead.',
  },
  backup_engine_not_here: {
    status: 409,
    error: 'The appliance has no backup engine',
    onScreen: 'The appliance has no restic yet. Add it under Appliance → Backup engine.',
  },
  backup_repository_busy: {
    status: 409,
    error: 'The repository is being maintained',
    onScreen: 'The backups of this device are being cleaned up. Try again in a few minutes.',
  },
  backup_repository_unreadable: {
    status: 502,
    error: 'The repository cannot be read',
    onScreen: 'The backup can’t be read: {reason}',
  },
} as const satisfies Refusals
