import type { Refusals } from './refusals.ts'

export const backupRestoresErrors = {
  restore_not_in_vault: {
    status: 409,
    error: 'The second copy does not have this snapshot',
    onScreen: 'This second copy doesn’t have the snapshot.',
  },
  restore_not_found: { status: 404, error: 'Restore job not found', onScreen: 'This restore no longer exists.' },
  restore_target_not_found: {
    status: 404,
    error: 'Target device not found',
    onScreen: 'The device that is to get the files no longer exists.',
  },
  restore_finished: {
    status: 409,
    error: 'Restore job is not cancelable',
    onScreen: 'This restore has ended already.',
  },
  restore_site_denied: {
    status: 403,
    error: 'site_access_denied',
    code: 'site_access_denied',
    onScreen: 'You can’t restore from one site to another. That needs the permission “Restore to another site”.',
  },
  restore_other_system: {
    status: 409,
    error: 'Folders of Windows and of other systems differ; name a target',
    onScreen: 'The device has another operating system with other folders. Choose a folder.',
  },
  restore_device_offline: {
    status: 409,
    error: 'Device is offline, cannot execute command',
    onScreen: 'The device is offline.',
  },
  restore_storage_gone: {
    status: 422,
    error: 'The storage of this snapshot is turned off or gone',
    onScreen: 'The storage of this snapshot is turned off or gone.',
  },
  restore_legacy_snapshot: {
    status: 422,
    error: 'This snapshot cannot name its repository',
    onScreen: 'This snapshot was made by another agent and can only be restored by it.',
  },
  restore_not_indexed: {
    status: 409,
    error: 'Selective restore is unavailable for snapshots without indexed files',
    onScreen: 'The files of this snapshot aren’t known, so only all of it can be restored.',
  },
  restore_path_missing: {
    status: 400,
    error: 'Selected path is not available in this snapshot',
    onScreen: 'Not in this snapshot: {path}',
  },
  restore_paths_required: {
    status: 400,
    error: 'selectedPaths is required for selective restores',
    onScreen: 'Choose files or folders first.',
  },
} as const satisfies Refusals
