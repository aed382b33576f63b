import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listOrganizations } from '../../shared/api/organizations.ts'
import {
  createPartner,
  listPartners,
  type Partner,
  readPartner,
  removePartner,
  updatePartner,
} from '../../shared/api/partners.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { allPages } from '../lib/all-pages.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { organizationKeys, organizationsChanged } from './organizations.ts'

export const companiesKey = ['company'] as const

export const companiesPageQuery = (page: number, limit: number) =>
  queryOptions({
    queryKey: [...companiesKey, 'list', { page, limit }],
    queryFn: ({ signal }) => api.call(listPartners, { query: { page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
  })

/** Every company on the platform, for who runs it. */
export const companiesQuery = queryOptions({
  queryKey: ['company', 'all'],
  queryFn: ({ signal }) =>
    allPages((page) => api.call(listPartners, { query: { page: String(page), limit: '100' } }, signal)),
})

export const oneCompanyQuery = (id: string) =>
  queryOptions({
    queryKey: [...companiesKey, 'one', id],
    queryFn: ({ signal }) => api.call(readPartner, { params: { id } }, signal),
  })

export const organizationsOfQuery = (partnerId: string, page: number, limit: number) =>
  queryOptions({
    queryKey: [...organizationKeys.all, 'of-company', { partnerId, page, limit }],
    queryFn: ({ signal }) =>
      api.call(listOrganizations, { query: { partnerId, page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
  })

export type NewCompany = InputOf<typeof createPartner>['body']
export type CompanyChange = InputOf<typeof updatePartner>['body']

const companiesChanged = () =>
  Promise.all([queryClient.invalidateQueries({ queryKey: companiesKey }), organizationsChanged()])

export const addCompany = {
  mutationFn: (body: NewCompany) => api.call(createPartner, { body }),
  onSuccess: companiesChanged,
}

export const changeCompanyById = (id: string) => ({
  mutationFn: (body: CompanyChange) => api.call(updatePartner, { params: { id }, body }),
  onSuccess: (saved: Partner) => {
    queryClient.setQueryData(oneCompanyQuery(id).queryKey, saved)
    return companiesChanged()
  },
})

export const removeCompanyById = (id: string) => ({
  mutationFn: () => api.call(removePartner, { params: { id } }),
  onSuccess: async () => {
    queryClient.removeQueries(oneCompanyQuery(id))
    await companiesChanged()
  },
})
