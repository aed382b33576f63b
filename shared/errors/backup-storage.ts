import type { Refusals } from './refusals.ts'

export const backupStorageErrors = {
  backup_org_required: {
    status: 400,
    error: 'orgId is required for this scope',
    onScreen: 'Choose an organization first.',
  },
  backup_config_not_found: { status: 404, error: 'Config not found', onScreen: 'This storage no longer exists.' },
  backup_config_in_use: {
    status: 409,
    error: 'Backups depend on this config; disable it instead',
    onScreen: 'Backups depend on this storage. Turn it off instead.',
  },
  backup_config_in_policies: {
    status: 409,
    error: 'Policies back up to this config; choose another one there first, or disable it instead',
    onScreen: 'Policies back up to this storage: {policies}. Choose another one there first, or turn it off instead.',
  },
} as const satisfies Refusals
