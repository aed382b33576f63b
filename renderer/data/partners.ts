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

export const partnersKey = ['partners'] as const

export const partnersQuery = (page: number, limit: number) =>
  queryOptions({
    queryKey: [...partnersKey, 'list', { page, limit }],
    queryFn: ({ signal }) => api.call(listPartners, { query: { page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
  })

/** Every partner of the platform, for platform administrators. */
export const allPartnersQuery = queryOptions({
  queryKey: ['partners', 'all'],
  queryFn: ({ signal }) =>
    allPages((page) => api.call(listPartners, { query: { page: String(page), limit: '100' } }, signal)),
})

export const partnerQuery = (id: string) =>
  queryOptions({
    queryKey: [...partnersKey, 'one', id],
    queryFn: ({ signal }) => api.call(readPartner, { params: { id } }, signal),
  })

export const partnerOrganizationsQuery = (partnerId: string, page: number, limit: number) =>
  queryOptions({
    queryKey: [...organizationKeys.all, 'of-company', { partnerId, page, limit }],
    queryFn: ({ signal }) =>
      api.call(listOrganizations, { query: { partnerId, page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
  })

export type NewPartner = InputOf<typeof createPartner>['body']
export type PartnerChange = InputOf<typeof updatePartner>['body']

const partnersChanged = () =>
  Promise.all([queryClient.invalidateQueries({ queryKey: partnersKey }), organizationsChanged()])

export const addPartner = {
  mutationFn: (body: NewPartner) => api.call(createPartner, { body }),
  onSuccess: partnersChanged,
}

export const changePartner = (id: string) => ({
  mutationFn: (body: PartnerChange) => api.call(updatePartner, { params: { id }, body }),
  onSuccess: (saved: Partner) => {
    queryClient.setQueryData(partnerQuery(id).queryKey, saved)
    return partnersChanged()
  },
})

export const deletePartner = (id: string) => ({
  mutationFn: () => api.call(removePartner, { params: { id } }),
  onSuccess: async () => {
    queryClient.removeQueries(partnerQuery(id))
    await partnersChanged()
  },
})
