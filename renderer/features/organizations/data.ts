import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  createOrganization,
  listOrganizations,
  listOrganizationTree,
  readOrganization,
  updateOrganization,
} from '../../../shared/api/organizations.ts'
import { createSite, listSites, readSite, updateSite } from '../../../shared/api/sites.ts'
import type { InputOf } from '../../../shared/endpoint.ts'
import { allPages } from '../../lib/all-pages.ts'
import { api } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'

export const organizationKeys = { all: ['organizations'] as const, sites: ['sites'] as const }

export const organizationTreeQuery = queryOptions({
  queryKey: [...organizationKeys.all, 'tree'],
  queryFn: async ({ signal }) => (await api.call(listOrganizationTree, {}, signal)).data,
})

export const organizationsQuery = (query: { search?: string | undefined; page: number; limit: number }) =>
  queryOptions({
    queryKey: [...organizationKeys.all, 'list', query],
    queryFn: ({ signal }) =>
      api.call(
        listOrganizations,
        { query: { search: query.search, page: String(query.page), limit: String(query.limit) } },
        signal,
      ),
    placeholderData: keepPreviousData,
  })

export const organizationQuery = (id: string) =>
  queryOptions({
    queryKey: [...organizationKeys.all, 'one', id],
    queryFn: ({ signal }) => api.call(readOrganization, { params: { id } }, signal),
  })

export const sitesQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...organizationKeys.sites, 'of', orgId],
    queryFn: ({ signal }) =>
      allPages((page) => api.call(listSites, { query: { orgId, page: String(page), limit: '100' } }, signal)),
  })

export const siteQuery = (id: string) =>
  queryOptions({
    queryKey: [...organizationKeys.sites, 'one', id],
    queryFn: ({ signal }) => api.call(readSite, { params: { id } }, signal),
    staleTime: 300_000,
  })

/** Device counts hang on devices too, so a live event may call this. */
export const organizationsChanged = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: organizationKeys.all }),
    queryClient.invalidateQueries({ queryKey: organizationKeys.sites }),
  ])

type NewOrganization = InputOf<typeof createOrganization>['body']
type OrganizationChange = InputOf<typeof updateOrganization>['body']
type NewSite = InputOf<typeof createSite>['body']
type SiteChange = InputOf<typeof updateSite>['body']

export const addOrganization = {
  mutationFn: (body: NewOrganization) => api.call(createOrganization, { body }),
  onSuccess: organizationsChanged,
}

export const changeOrganization = (id: string) => ({
  mutationFn: (body: OrganizationChange) => api.call(updateOrganization, { params: { id }, body }),
  onSuccess: organizationsChanged,
})

export const addSite = {
  mutationFn: (body: NewSite) => api.call(createSite, { body }),
  onSuccess: organizationsChanged,
}

export const changeSite = (id: string) => ({
  mutationFn: (body: SiteChange) => api.call(updateSite, { params: { id }, body }),
  onSuccess: organizationsChanged,
})
