import type { Refusals } from './refusals.ts'

/** What devices are told by the backup store of the appliance. */
export const backupStoreErrors = {
  backup_store_unauthorized: {
    status: 401,
    error: 'These credentials are unknown or have expired',
    onScreen: 'The device’s access to the backup store has expired. Run the backup again.',
  },
  backup_store_forbidden: {
    status: 403,
    error: 'These credentials do not allow that',
    onScreen: 'The device may not do that in the backup store.',
  },
  backup_store_object_not_found: {
    status: 404,
    error: 'There is no such object',
    onScreen: 'A part of the backup is missing in the backup store.',
  },
  backup_store_object_exists: {
    status: 403,
    error: 'The repository has a configuration already',
    onScreen: 'The repository exists already.',
  },
  backup_store_wrong_hash: {
    status: 400,
    error: 'The content does not have the hash that its name says',
    onScreen: 'A part of the backup was damaged on its way. Run the backup again.',
  },
  backup_store_busy: {
    status: 503,
    error: 'There are too many uploads to this repository at the same time',
    onScreen: 'The device sent too much at the same time. Run the backup again.',
  },
  backup_store_object_too_large: {
    status: 413,
    error: 'No object of a repository is as large as that',
    onScreen: 'The device sent something that belongs to no backup.',
  },
  backup_store_length_required: {
    status: 411,
    error: 'Content-Length is required',
    onScreen: 'The device didn’t say how much it sends.',
  },
  backup_store_quota_reached: {
    status: 507,
    error: 'The storage quota of the organization is used up',
    onScreen: 'The storage quota of the organization is used up.',
  },
  backup_store_disk_full: {
    status: 507,
    error: 'The disk of the appliance is full',
    onScreen: 'The appliance’s disk is full. Free space, or move the backup store to a larger disk.',
  },
  backup_store_read_only: {
    status: 507,
    error: 'The disk of the backup store cannot be written to',
    onScreen: 'The backup store’s disk can’t be written to.',
  },
} as const satisfies Refusals
