import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listMergeRuns, mergeOrganization, previewMerge, readMergeRun } from '../../shared/api/organization-merge.ts'
import { listOrganizations } from '../../shared/api/organizations.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import { searchable } from '../../shared/paging.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { isUnfinished, lifecycleChanged, lifecycleKeys, pollInterval } from './lifecycle.ts'
import { organizationKeys } from './organizations.ts'

export const mergeRunsQuery = queryOptions({
  queryKey: [...lifecycleKeys.all, 'merges'],
  queryFn: async ({ signal }) => (await api.call(listMergeRuns, {}, signal)).data,
  refetchInterval: ({ state }) => pollInterval(state.data),
})

export type MergeRunDetails = ReplyOf<typeof readMergeRun>

export const mergeRunQuery = (jobId: string) =>
  queryOptions({
    queryKey: [...lifecycleKeys.all, 'merge', jobId],
    queryFn: ({ signal }) => api.call(readMergeRun, { params: { jobId } }, signal),
    refetchInterval: ({ state }) => (state.data && !isUnfinished(state.data) ? false : 1000),
  })

/** Writes nothing, but asks for the second factor as the merge itself does. */
export const mergePreviewQuery = (id: string, survivorId: string) =>
  queryOptions({
    queryKey: [...lifecycleKeys.all, 'preview', id, survivorId],
    queryFn: ({ signal }) => api.call(previewMerge, { params: { id }, body: { survivorId } }, signal),
    staleTime: 0,
    gcTime: 0,
  })

/** The most organizations that one search returns. */
export const survivorSearchLimit = 100

/** The organizations among which one to merge into is chosen. */
export const survivorSearchQuery = (search: string) =>
  queryOptions({
    queryKey: [...organizationKeys.all, 'survivors', search],
    queryFn: async ({ signal }) =>
      (
        await api.call(
          listOrganizations,
          { query: { search: searchable(search), page: '1', limit: String(survivorSearchLimit) } },
          signal,
        )
      ).data,
    placeholderData: keepPreviousData,
  })

export const mergeOrganizationMutation = (id: string) => ({
  mutationFn: (body: { survivorId: string; confirmName: string }) =>
    api.call(mergeOrganization, { params: { id }, body }),
  onSuccess: async ({ jobId }: { jobId: string }) => {
    // An earlier attempt had the same job id.
    await queryClient.resetQueries({ queryKey: mergeRunQuery(jobId).queryKey })
    await lifecycleChanged()
  },
})
