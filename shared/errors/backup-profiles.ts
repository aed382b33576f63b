import type { Refusals } from './refusals.ts'

export const backupProfilesErrors = {
  backup_profile_not_found: {
    status: 404,
    error: 'Backup profile not found',
    onScreen: 'This backup profile no longer exists.',
  },
  backup_profile_in_use: {
    status: 409,
    error: 'Policies refer to this profile; unlink it there first',
    onScreen: 'Policies use this backup profile: {policies}. Choose another one there first.',
  },
} as const satisfies Refusals
