import { queryOptions } from '@tanstack/react-query'
import { createSite, deleteSite, listSites, readSite, updateSite } from '../../shared/api/sites.ts'
import type { InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { allPages } from '../lib/all-pages.ts'
import { api } from '../lib/api.ts'
import { organizationKeys, organizationsChanged } from './organizations.ts'

export type SiteRow = ReplyOf<typeof listSites>['data'][number]

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

type NewSite = InputOf<typeof createSite>['body']
type SiteChange = InputOf<typeof updateSite>['body']

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
