import type { Refusals } from './refusals.ts'

export const backupJobsErrors = {
  backup_job_not_found: { status: 404, error: 'Job not found', onScreen: 'This backup no longer exists.' },
  backup_job_finished: {
    status: 409,
    error: 'Job is not cancelable',
    onScreen: 'This backup has ended already.',
  },
  backup_device_offline: {
    status: 409,
    error: 'Device is offline, cannot execute backup',
    onScreen: 'The device is offline.',
  },
  backup_device_denied: {
    status: 403,
    error: 'Device not found or access denied',
    onScreen: 'You have no access to this device.',
  },
  backup_already_running: {
    status: 409,
    error: 'A backup job is already pending or running for this device',
    onScreen: 'A backup of this device waits or runs already.',
  },
  backup_no_config: {
    status: 400,
    error: 'No backup config available',
    onScreen: 'There is no storage for backups yet. Add one first.',
  },
  backup_policy_without_config: {
    status: 400,
    error: 'Backup policy assigned but no backup config linked. Update the configuration policy.',
    onScreen: 'The policy of this device names no storage, and the organization has no default storage.',
  },
  backup_profile_broken: {
    status: 400,
    error:
      "The backup profile linked to this device's policy has no usable data sources. Fix the profile before running a backup.",
    onScreen: 'The backup profile of this device’s policy has nothing to back up. Change the profile first.',
  },
  backup_no_policies: {
    status: 400,
    error: 'No devices have backup policies configured',
    onScreen: 'No device is protected by a policy yet.',
  },
  backup_engine_missing: {
    status: 409,
    error: 'Backup engine not available on this device',
    onScreen: 'This device has no restic yet.',
  },
  backup_listing_running: { status: 409, error: 'A list of files of this backup is being taken', onScreen: null },
  backup_listing_refused: { status: 422, error: 'The list of files was not taken', onScreen: null },
} as const satisfies Refusals
