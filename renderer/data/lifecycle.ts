import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { archiveOrganization, listErasures, readOffboarding, restoreOrganization } from '../../shared/api/lifecycle.ts'
import { listMergeRuns, mergeOrganization, previewMerge, readMergeRun } from '../../shared/api/organization-merge.ts'
import { deleteOrganization, listOrganizations, updateOrganization } from '../../shared/api/organizations.ts'
import { listUsers } from '../../shared/api/people.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import { searchable } from '../../shared/paging.ts'
import { type StatusChange, statusAfter } from '../domain/lifecycle/lifecycle-actions.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { contactKeys } from './contacts.ts'
import { deviceKeys } from './devices.ts'
import { enrollmentKeyKeys } from './enrollment-keys.ts'
import { organizationKeys } from './organizations.ts'

const lifeKeys = { all: ['organization-life'] as const }

type WithState = { state: 'waiting' | 'active' | 'completed' | 'failed' }
export const isOpen = ({ state }: WithState): boolean => state === 'waiting' || state === 'active'

/** While something goes on its rows are read again and again, else now and then: somebody else may begin. */
const pace = (rows: readonly WithState[] | undefined) => (rows?.some(isOpen) ? 2000 : 60_000)

export const offboardingQuery = (id: string) =>
  queryOptions({
    queryKey: [...lifeKeys.all, 'offboarding', id],
    queryFn: async ({ signal }) => (await api.call(readOffboarding, { params: { id } }, signal)).data,
    refetchInterval: 4000,
  })

export const erasuresQuery = queryOptions({
  queryKey: [...lifeKeys.all, 'erasures'],
  queryFn: async ({ signal }) => (await api.call(listErasures, {}, signal)).data,
  refetchInterval: ({ state }) => pace(state.data),
})

export const mergeRunsQuery = queryOptions({
  queryKey: [...lifeKeys.all, 'merges'],
  queryFn: async ({ signal }) => (await api.call(listMergeRuns, {}, signal)).data,
  refetchInterval: ({ state }) => pace(state.data),
})

export type RunDetail = ReplyOf<typeof readMergeRun>

export const mergeRunQuery = (jobId: string) =>
  queryOptions({
    queryKey: [...lifeKeys.all, 'merge', jobId],
    queryFn: ({ signal }) => api.call(readMergeRun, { params: { jobId } }, signal),
    refetchInterval: ({ state }) => (state.data && !isOpen(state.data) ? false : 1000),
  })

/** Writes nothing, but asks for the second factor as the merge itself does. */
export const mergePreviewQuery = (id: string, survivorId: string) =>
  queryOptions({
    queryKey: [...lifeKeys.all, 'preview', id, survivorId],
    queryFn: ({ signal }) => api.call(previewMerge, { params: { id }, body: { survivorId } }, signal),
    staleTime: 0,
    gcTime: 0,
  })

/** Those that can take another one in come among these. */
export const survivorsQuery = (search: string) =>
  queryOptions({
    queryKey: [...organizationKeys.all, 'survivors', search],
    queryFn: async ({ signal }) =>
      (await api.call(listOrganizations, { query: { search: searchable(search), page: '1', limit: '100' } }, signal))
        .data,
    placeholderData: keepPreviousData,
  })

export const memberCountQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['people', 'count', orgId],
    queryFn: async ({ signal }) =>
      (await api.call(listUsers, { query: { ownerScope: 'organization', orgId } }, signal)).data.length,
  })

/** The status of an organization shows everywhere, and so does where its devices are. */
export const shownEverywhere = [
  lifeKeys.all,
  organizationKeys.all,
  organizationKeys.sites,
  contactKeys.all,
  enrollmentKeyKeys.all,
  deviceKeys.lists,
  deviceKeys.stats,
  deviceKeys.groups,
]

export const lifeChanged = () =>
  Promise.all(shownEverywhere.map((queryKey) => queryClient.invalidateQueries({ queryKey })))

export const changeStatus = (id: string) => ({
  mutationFn: (change: StatusChange) =>
    api.call(updateOrganization, { params: { id }, body: { status: statusAfter[change] } }),
  onSuccess: lifeChanged,
})

export const archive = (id: string) => ({
  mutationFn: (retentionDays: number | null) =>
    api.call(archiveOrganization, { params: { id }, body: { retentionDays } }),
  onSuccess: lifeChanged,
})

export const restore = (id: string) => ({
  mutationFn: () => api.call(restoreOrganization, { params: { id } }),
  onSuccess: lifeChanged,
})

export const remove = (id: string) => ({
  mutationFn: () => api.call(deleteOrganization, { params: { id } }),
})

export const merge = (id: string) => ({
  mutationFn: (body: { survivorId: string; confirmName: string }) =>
    api.call(mergeOrganization, { params: { id }, body }),
  onSuccess: async ({ jobId }: { jobId: string }) => {
    // A former try went by the same id.
    await queryClient.resetQueries({ queryKey: mergeRunQuery(jobId).queryKey })
    await lifeChanged()
  },
})
