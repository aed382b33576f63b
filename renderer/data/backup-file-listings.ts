import { queryOptions } from '@tanstack/react-query'
import { type FileListing, listFilesOfSnapshot, readFileListing } from '../../shared/api/backup-file-listings.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

const keyOf = (id: string) => [...backupKeys.snapshots, 'listing', id]

export const isBeingListed = ({ state }: FileListing): boolean => state === 'waiting' || state === 'running'

/** Whether the files of a snapshot are known; asked again while the appliance reads them. */
export const fileListingQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(id),
    queryFn: async ({ signal }) => (await api.call(readFileListing, { params: { id }, query: {} }, signal)).data,
    refetchInterval: ({ state }) => (state.data && isBeingListed(state.data) ? 2000 : false),
  })

export const listFilesMutation = (id: string) => ({
  mutationFn: async () => (await api.call(listFilesOfSnapshot, { params: { id }, query: {} })).data,
  onSuccess: (listing: FileListing) => queryClient.setQueryData(keyOf(id), listing),
})

/** Pages of files that could not be shown before. */
export const filesBecameKnown = () => queryClient.invalidateQueries({ queryKey: backupKeys.files })
