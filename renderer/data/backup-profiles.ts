import { queryOptions } from '@tanstack/react-query'
import {
  createBackupProfile,
  deleteBackupProfile,
  listBackupProfiles,
  updateBackupProfile,
} from '../../shared/api/backup-profiles.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { backupKeys } from './backup-keys.ts'
import { backupPoliciesChanged } from './backup-policies.ts'

/** Those of the organization and of its company, by name. */
export const profilesQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...backupKeys.profiles, { orgId }],
    queryFn: async ({ signal }) => (await api.call(listBackupProfiles, { query: { orgId } }, signal)).data,
  })

type NewProfile = InputOf<typeof createBackupProfile>['body']

/** Without an id it is created. */
export const saveProfile = (orgId: string, id: string | undefined) => ({
  mutationFn: ({ ownerScope, ...body }: NewProfile) =>
    id
      ? api.call(updateBackupProfile, { params: { id }, body })
      : api.call(createBackupProfile, {
          query: {},
          body: { ...body, ownerScope, ...(ownerScope !== 'partner' && { orgId }) },
        }),
  onSuccess: backupPoliciesChanged,
})

type ProfileChange = InputOf<typeof updateBackupProfile>['body']

export const changeProfile = (id: string) => ({
  mutationFn: (body: ProfileChange) => api.call(updateBackupProfile, { params: { id }, body }),
  onSuccess: backupPoliciesChanged,
})

export const removeProfile = {
  mutationFn: (id: string) => api.call(deleteBackupProfile, { params: { id } }),
  onSuccess: backupPoliciesChanged,
}
