import { queryOptions } from '@tanstack/react-query'
import {
  createVault,
  deleteVault,
  listSnapshotCopies,
  listVaultCopies,
  listVaults,
  repairFromVault,
  syncVault,
  updateVault,
  type Vault,
} from '../../shared/api/backup-vaults.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

export const isUnderWay = ({ lastSyncStatus, waitingFor }: Vault): boolean =>
  lastSyncStatus === 'running' || (lastSyncStatus === 'pending' && waitingFor === null)

/** Of an organization, or those that are for a device. */
export const vaultsQuery = (orgId: string, deviceId?: string) =>
  queryOptions({
    queryKey: [...backupKeys.vaults, { orgId, deviceId }],
    queryFn: async ({ signal }) => {
      const query = { orgId, ...(deviceId && { deviceId }) }
      return (await api.call(listVaults, { query }, signal)).data
    },
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? 2000 : 30_000),
  })

export const vaultCopiesQuery = (id: string, orgId: string, page: number) =>
  queryOptions({
    queryKey: [...backupKeys.vaults, 'copies', { id, page }],
    queryFn: ({ signal }) =>
      api.call(listVaultCopies, { params: { id }, query: { orgId, page: String(page), limit: '20' } }, signal),
    refetchInterval: 10_000,
  })

/** Second copies that have a snapshot. */
export const snapshotCopiesQuery = (snapshotId: string) =>
  queryOptions({
    queryKey: [...backupKeys.vaults, 'of-snapshot', { snapshotId }],
    queryFn: async ({ signal }) =>
      (await api.call(listSnapshotCopies, { params: { id: snapshotId }, query: {} }, signal)).data,
  })

const vaultsChanged = () => queryClient.invalidateQueries({ queryKey: backupKeys.vaults })

export type NewVault = InputOf<typeof createVault>['body']
export type VaultChange = InputOf<typeof updateVault>['body']

export const addVault = (orgId: string) => ({
  mutationFn: (body: NewVault) => api.call(createVault, { query: { orgId }, body }),
  onSuccess: vaultsChanged,
})

export const changeVault = (id: string) => ({
  mutationFn: (body: VaultChange) => api.call(updateVault, { params: { id }, query: {}, body }),
  onSuccess: vaultsChanged,
})

export const turnVaultOff = {
  mutationFn: (id: string) => api.call(deleteVault, { params: { id }, query: {} }),
  onSuccess: vaultsChanged,
}

export const repairFrom = (id: string) => ({
  mutationFn: (deviceId: string) =>
    api.call(repairFromVault, { params: { id }, query: {}, body: { deviceId, confirm: true } }),
  onSuccess: vaultsChanged,
})

export const syncNow = {
  mutationFn: (id: string) => api.call(syncVault, { params: { id }, query: {}, body: {} }),
  onSuccess: vaultsChanged,
}
