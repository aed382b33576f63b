import { queryOptions } from '@tanstack/react-query'
import {
  confirmRecoverySheet,
  createEncryptionKey,
  deactivateEncryptionKey,
  listEncryptionKeys,
  openRecoverySheet,
  readKeyRotation,
  rotateEncryptionKey,
} from '../../shared/api/backup-keys.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

const keysOf = (orgId: string) => [...backupKeys.encryptionKeys, { orgId }]
/** Those with a problem come first; of more than so many the rest is left out. */
const shownRepositories = 50

/** All keys of an organization, also those that are no longer active. */
export const encryptionKeysQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...keysOf(orgId), 'list'],
    queryFn: async ({ signal }) => {
      const query = { orgId, includeInactive: 'true' }
      return (await api.call(listEncryptionKeys, { query }, signal)).data
    },
  })

export const keyRotationQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...keysOf(orgId), 'rotation'],
    queryFn: async ({ signal }) => {
      const query = { orgId, limit: String(shownRepositories) }
      return (await api.call(readKeyRotation, { query }, signal)).data
    },
    refetchInterval: ({ state }) => (state.data && state.data.changing > 0 ? 5000 : 60_000),
  })

const keysChanged = (orgId: string) => queryClient.invalidateQueries({ queryKey: keysOf(orgId) })

export const addEncryptionKey = (orgId: string) => ({
  mutationFn: (body: InputOf<typeof createEncryptionKey>['body']) =>
    api.call(createEncryptionKey, { query: { orgId }, body }),
  onSuccess: () => keysChanged(orgId),
})

export const rotateKey = (orgId: string) => ({
  mutationFn: (id: string) => api.call(rotateEncryptionKey, { params: { id }, query: { orgId }, body: {} }),
  onSuccess: () => keysChanged(orgId),
})

export const deactivateKey = (orgId: string) => ({
  mutationFn: (id: string) => api.call(deactivateEncryptionKey, { params: { id }, query: { orgId } }),
  onSuccess: () => keysChanged(orgId),
})

/** Secret: not kept. */
export const openSheet = (orgId: string) => ({
  mutationFn: async () => (await api.call(openRecoverySheet, { query: { orgId } })).data,
  gcTime: 0,
})

export const confirmSheet = (orgId: string) => ({
  mutationFn: (keyIds: string[]) => api.call(confirmRecoverySheet, { query: { orgId }, body: { keyIds } }),
  onSuccess: () => keysChanged(orgId),
})
