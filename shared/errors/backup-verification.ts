import type { Refusals } from './refusals.ts'

export const backupVerificationErrors = {
  verification_running: {
    status: 409,
    error: 'A verification of this kind is already pending or running for this device',
    onScreen: 'Such a check of this device is already under way.',
  },
  verification_device_offline: {
    status: 409,
    error: 'Device is offline, cannot execute command',
    onScreen: 'The device is offline.',
  },
  verification_snapshot_unknown: {
    status: 400,
    error: 'Snapshot not found for organization',
    onScreen: 'This snapshot no longer exists.',
  },
  verification_snapshot_of_other_device: {
    status: 400,
    error: 'snapshotId does not belong to the requested device',
    onScreen: 'This snapshot is of another device.',
  },
  verification_job_unknown: {
    status: 400,
    error: 'Backup job not found for requested device',
    onScreen: 'This backup no longer exists.',
  },
  verification_without_snapshot: {
    status: 400,
    error: 'Snapshot is required for restore-based verification',
    onScreen: 'There is no backup to check yet.',
  },
} as const satisfies Refusals
