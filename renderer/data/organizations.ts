import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  createOrganization,
  effectiveSettings,
  listOrganizations,
  listOrganizationTree,
  orderOrganizations,
  readOrganization,
  updateOrganization,
} from '../../shared/api/organizations.ts'
import type { InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'

export const organizationKeys = { all: ['organizations'] as const, sites: ['sites'] as const }

export type OrganizationRow = ReplyOf<typeof listOrganizations>['data'][number]

export const organizationTreeQuery = queryOptions({
  queryKey: [...organizationKeys.all, 'tree'],
  queryFn: async ({ signal }) => (await api.call(listOrganizationTree, {}, signal)).data,
})

interface OrganizationFilters {
  search?: string | undefined
  /** For platform administrators; undefined for the organizations of all partners. */
  partnerId?: string | undefined
  page: number
  limit: number
}

export const organizationsQuery = ({ page, limit, ...filters }: OrganizationFilters) =>
  queryOptions({
    queryKey: [...organizationKeys.all, 'list', { page, limit, ...filters }],
    queryFn: ({ signal }) =>
      api.call(listOrganizations, { query: { ...filters, page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
  })

const optionsPageSize = 100

/** Organizations to choose from, loaded page by page while the list is scrolled. */
export const organizationOptionsQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: [...organizationKeys.all, 'choices', search],
    queryFn: ({ pageParam, signal }) =>
      api.call(
        listOrganizations,
        { query: { search, page: String(pageParam), limit: String(optionsPageSize) } },
        signal,
      ),
    initialPageParam: 1,
    getNextPageParam: ({ pagination: { page, limit, total } }) => (page * limit < total ? page + 1 : undefined),
    placeholderData: keepPreviousData,
  })

/** The API puts archived organizations on the last page, so a page number beyond it returns them alone. */
export const archivedOrganizationsQuery = (search: string | undefined) =>
  queryOptions({
    queryKey: [...organizationKeys.all, 'archived', search],
    queryFn: ({ signal }) =>
      api.call(
        listOrganizations,
        { query: { search, includeArchived: 'true', page: '1000000', limit: '100' } },
        signal,
      ),
    placeholderData: keepPreviousData,
  })

/** Settings that the partner enforces for all its organizations. */
export const effectiveSettingsQuery = (id: string) =>
  queryOptions({
    queryKey: [...organizationKeys.all, 'effective-settings', id],
    queryFn: ({ signal }) => api.call(effectiveSettings, { params: { id } }, signal),
  })

export const organizationQuery = (id: string) =>
  queryOptions({
    queryKey: [...organizationKeys.all, 'one', id],
    queryFn: ({ signal }) => api.call(readOrganization, { params: { id } }, signal),
  })

/** Device counts depend on devices too, so live events call this. */
export const organizationsChanged = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: organizationKeys.all }),
    queryClient.invalidateQueries({ queryKey: organizationKeys.sites }),
  ])

type NewOrganization = InputOf<typeof createOrganization>['body']
type OrganizationChange = InputOf<typeof updateOrganization>['body']

export const addOrganization = {
  mutationFn: (body: NewOrganization) => api.call(createOrganization, { body }),
  onSuccess: organizationsChanged,
}

export const changeOrganization = (id: string) => ({
  mutationFn: (body: OrganizationChange) => api.call(updateOrganization, { params: { id }, body }),
  onSuccess: organizationsChanged,
})

/** The ids of all organizations of the partner, in the order in which lists show them. */
export const saveOrganizationOrder = (orderedIds: string[]) => api.call(orderOrganizations, { body: { orderedIds } })
