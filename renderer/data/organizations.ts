import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  createOrganization,
  effectiveSettings,
  listOrganizations,
  listOrganizationTree,
  readOrganization,
  updateOrganization,
} from '../../shared/api/organizations.ts'
import { listPartners } from '../../shared/api/partners.ts'
import { createSite, deleteSite, listSites, readSite, updateSite } from '../../shared/api/sites.ts'
import type { InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { allPages } from '../lib/all-pages.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'

export const organizationKeys = { all: ['organizations'] as const, sites: ['sites'] as const }

export type OrganizationRow = ReplyOf<typeof listOrganizations>['data'][number]

export const organizationTreeQuery = queryOptions({
  queryKey: [...organizationKeys.all, 'tree'],
  queryFn: async ({ signal }) => (await api.call(listOrganizationTree, {}, signal)).data,
})

interface OrganizationsWanted {
  search?: string | undefined
  /** For who runs the platform; left out for those of all companies. */
  partnerId?: string | undefined
  page: number
  limit: number
}

export const organizationsQuery = ({ page, limit, ...filters }: OrganizationsWanted) =>
  queryOptions({
    queryKey: [...organizationKeys.all, 'list', { page, limit, ...filters }],
    queryFn: ({ signal }) =>
      api.call(listOrganizations, { query: { ...filters, page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
  })

/** Those alone: they come with the last page, and this is behind every last page. */
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

/** Every company on the platform, for who runs it. */
export const companiesQuery = queryOptions({
  queryKey: ['company', 'all'],
  queryFn: ({ signal }) =>
    allPages((page) => api.call(listPartners, { query: { page: String(page), limit: '100' } }, signal)),
})

/** What the company has settled for all its organizations. */
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

export const sitesQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...organizationKeys.sites, 'of', orgId],
    queryFn: ({ signal }) =>
      allPages((page) => api.call(listSites, { query: { orgId, page: String(page), limit: '100' } }, signal)),
  })

export const sitesPageQuery = (orgId: string, page: number, limit: number) =>
  queryOptions({
    queryKey: [...organizationKeys.sites, 'page', { orgId, page, limit }],
    queryFn: ({ signal }) =>
      api.call(listSites, { query: { orgId, page: String(page), limit: String(limit) } }, signal),
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

export const removeSite = {
  mutationFn: (id: string) => api.call(deleteSite, { params: { id } }),
  onSuccess: organizationsChanged,
}
