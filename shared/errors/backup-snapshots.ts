import type { Refusals } from './refusals.ts'

export const backupSnapshotsErrors = {
  backup_snapshot_not_found: {
    status: 404,
    error: 'Snapshot not found',
    onScreen: 'This snapshot no longer exists.',
  },
  device_has_backups: {
    status: 409,
    error: 'The device has backups; delete them first',
    onScreen: 'There are backups of this device. Delete them first.',
  },
  device_backups_protected: {
    status: 409,
    error: 'Snapshots of the device are on legal hold or immutable',
    onScreen: 'Snapshots of this device are on legal hold or locked, so its backups can’t be deleted.',
  },
  device_backups_held: {
    status: 409,
    error: 'An unusual change holds the backups of the device',
    onScreen:
      'These backups are on hold after an unusual change. Someone has to say that it was expected before they can be deleted.',
  },
  device_backups_elsewhere: {
    status: 409,
    error: 'An organization that the device was in before has backups of it',
    onScreen: 'An organization that this device was in before, and that you have no access to, has backups of it.',
  },
  device_backups_in_use: {
    status: 409,
    error: 'Backups of the device are being read or maintained',
    onScreen: 'Backups of this device are being restored, downloaded or maintained. Try again later.',
  },
  backup_files_unknown: {
    status: 409,
    error: 'The files of this snapshot are not indexed',
    onScreen: 'The files of this snapshot aren’t known here.',
  },
  backup_files_known: {
    status: 409,
    error: 'The files of this snapshot are indexed already',
    onScreen: 'The files of this snapshot are known already.',
  },
  backup_path_not_found: {
    status: 404,
    error: 'Path not found in this snapshot',
    onScreen: 'This file or folder isn’t in the snapshot.',
  },
  backup_not_comparable: {
    status: 400,
    error: 'Only snapshots of the same device and storage can be compared',
    onScreen: 'Only snapshots of the same device and storage can be compared.',
  },
} as const satisfies Refusals
