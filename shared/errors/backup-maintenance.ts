import type { Refusals } from './refusals.ts'

export const backupMaintenanceErrors = {
  backup_reconcile_running: {
    status: 409,
    error: 'The snapshots of this organization are being compared already',
    onScreen: 'The snapshots are being compared already.',
  },
} as const satisfies Refusals
