import { queryOptions } from '@tanstack/react-query'
import {
  createBackupConfig,
  deleteBackupConfig,
  listBackupConfigs,
  readBackupConfig,
  testBackupConfig,
  updateBackupConfig,
} from '../../shared/api/backup-configs.ts'
import type { InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { ApiError } from '../lib/api-error.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

export const storagesQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...backupKeys.storages, { orgId }],
    queryFn: async ({ signal }) => (await api.call(listBackupConfigs, { query: { orgId } }, signal)).data,
  })

export const storageQuery = (id: string) =>
  queryOptions({
    queryKey: [...backupKeys.storages, { id }],
    queryFn: ({ signal }) => api.call(readBackupConfig, { params: { id }, query: {} }, signal),
  })

const storagesChanged = () => queryClient.invalidateQueries({ queryKey: backupKeys.storages })

export type NewStorage = InputOf<typeof createBackupConfig>['body']
type StorageChange = InputOf<typeof updateBackupConfig>['body']

export const addStorage = (orgId: string) => ({
  mutationFn: (body: NewStorage) => api.call(createBackupConfig, { query: { orgId }, body }),
  onSuccess: storagesChanged,
})

export const changeStorage = (id: string) => ({
  mutationFn: (body: StorageChange) => api.call(updateBackupConfig, { params: { id }, query: {}, body }),
  onSuccess: storagesChanged,
})

export const removeStorage = {
  mutationFn: (id: string) => api.call(deleteBackupConfig, { params: { id }, query: {} }),
  onSuccess: storagesChanged,
}

export type StorageTest = Pick<
  ReplyOf<typeof testBackupConfig>,
  'status' | 'error' | 'freeBytes' | 'providerCapabilities'
>

/** Storage that cannot be used is an answer, too: it has a status of its own and comes with a 400. */
export const testStorage = {
  mutationFn: (id: string): Promise<StorageTest> =>
    api.call(testBackupConfig, { params: { id }, query: {} }).catch((error: unknown) => {
      if (error instanceof ApiError && isTest(error.body)) return error.body
      throw error
    }),
  onSuccess: storagesChanged,
}

const isTest = (body: object): body is StorageTest =>
  'status' in body && (body.status === 'failed' || body.status === 'unsupported')
