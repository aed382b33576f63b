import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { storageNotAskedYet } from '../../shared/api/backup-snapshot-protection.ts'
import {
  type BackupSnapshot,
  compareBackupSnapshots,
  deleteDeviceBackups,
  listBackupSnapshots,
  readBackupFolder,
  readBackupSnapshot,
  readFileVersions,
  searchBackedUpFiles,
} from '../../shared/api/backup-snapshots.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

export interface SnapshotFilters {
  orgId: string
  deviceId?: string | undefined
  configId?: string | undefined
  page: number
  limit: number
}

export const snapshotsQuery = ({ page, limit, ...filters }: SnapshotFilters) =>
  queryOptions({
    queryKey: [...backupKeys.snapshots, { page, limit, ...filters }],
    queryFn: ({ signal }) =>
      api.call(listBackupSnapshots, { query: { ...filters, page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
  })

/** How many snapshots a device has in all storage. */
export const countSnapshots = async ({ id, orgId }: { id: string; orgId: string }): Promise<number> =>
  (await queryClient.fetchQuery(snapshotsQuery({ orgId, deviceId: id, page: 1, limit: 1 }))).pagination.total

export const deleteBackups = (deviceId: string) => ({
  mutationFn: () => api.call(deleteDeviceBackups, { params: { deviceId } }),
  onSuccess: () => queryClient.invalidateQueries({ queryKey: backupKeys.all }),
})

/** While the storage is asked to lock it. */
const untilAskedMs = 10_000

export const snapshotQuery = (id: string) =>
  queryOptions({
    queryKey: [...backupKeys.snapshots, 'one', id],
    queryFn: ({ signal }) => api.call(readBackupSnapshot, { params: { id }, query: {} }, signal),
    refetchInterval: ({ state: { data } }) =>
      data?.immutabilityFallbackReason === storageNotAskedYet ? untilAskedMs : false,
  })

/** Every snapshot that has the same files to compare with, the newest first. */
export const siblingsQuery = ({ deviceId, configId }: Pick<BackupSnapshot, 'deviceId' | 'configId'>, orgId: string) =>
  snapshotsQuery({ orgId, deviceId, configId, page: 1, limit: 1000 })

const firstPage = 200
const laterPages = 1000

/** The first page is small, to be there immediately. */
const limitAfter = (after: string | undefined) => String(after === undefined ? firstPage : laterPages)

/** Pages of what is in snapshots, which never changes; comparing a hundred thousand rows with the former ones takes long. */
const pagesOfFiles = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }: { next: string | null }) => next ?? undefined,
  structuralSharing: false,
}
const neverStale = Number.POSITIVE_INFINITY

export const folderQuery = (id: string, path: string, q: string) =>
  infiniteQueryOptions({
    ...pagesOfFiles,
    queryKey: [...backupKeys.files, 'folder', id, { path, q }],
    queryFn: async ({ pageParam: after, signal }): Promise<FolderPage> => {
      const query = { path, q, after, limit: limitAfter(after) }
      return { ...(await api.call(readBackupFolder, { params: { id }, query }, signal)), path }
    },
    staleTime: neverStale,
    placeholderData: keepPreviousData,
  })

/** The folder in which a snapshot is opened: below those that hold nothing but one folder. */
export const startFolderQuery = (id: string) =>
  queryOptions({
    queryKey: [...backupKeys.files, 'start', id],
    queryFn: async () => {
      let path = '/'
      for (;;) {
        // What cannot be read says so when it is shown.
        const folder = await queryClient.fetchInfiniteQuery(folderQuery(id, path, '')).catch(() => null)
        const [only, ...others] = folder?.pages[0]?.data ?? []
        if (only?.type !== 'folder' || others.length > 0) return path
        path = only.path
      }
    },
    staleTime: neverStale,
  })

/** A page of a folder, with its path. */
export type FolderPage = ReplyOf<typeof readBackupFolder> & { path: string }

interface FileSearch {
  deviceId: string
  configId?: string | undefined
  q: string
}

const foundAtOnce = 50

export const fileSearchQuery = ({ deviceId, ...query }: FileSearch) =>
  infiniteQueryOptions({
    ...pagesOfFiles,
    queryKey: [...backupKeys.snapshots, 'search', deviceId, query],
    queryFn: ({ pageParam: after, signal }) =>
      api.call(
        searchBackedUpFiles,
        { params: { deviceId }, query: { ...query, after, limit: String(foundAtOnce) } },
        signal,
      ),
    placeholderData: keepPreviousData,
  })

export type FoundFile = ReplyOf<typeof searchBackedUpFiles>['data'][number]

interface FilePlace {
  deviceId: string
  configId?: string | undefined
  path: string
}

export const versionsQuery = ({ deviceId, ...query }: FilePlace) =>
  queryOptions({
    queryKey: [...backupKeys.snapshots, 'versions', deviceId, query],
    queryFn: async ({ signal }) => (await api.call(readFileVersions, { params: { deviceId }, query }, signal)).data,
  })

export type FileVersion = ReplyOf<typeof readFileVersions>['data']['versions'][number]

export type Change = Difference['change']

export const comparisonQuery = (id: string, olderId: string, only: Change | undefined) =>
  infiniteQueryOptions({
    ...pagesOfFiles,
    queryKey: [...backupKeys.files, 'comparison', id, olderId, { only }],
    queryFn: ({ pageParam: after, signal }) =>
      api.call(compareBackupSnapshots, { params: { id, olderId }, query: { only, after } }, signal),
    staleTime: neverStale,
    placeholderData: keepPreviousData,
  })

export type Difference = ReplyOf<typeof compareBackupSnapshots>['data'][number]
