import { queryOptions } from '@tanstack/react-query'
import { listMemberships, type MembershipView } from '../../shared/api/memberships.ts'
import { api } from '../lib/api.ts'

/** The tenants that the user is a member of. */
export const membershipsQuery = queryOptions({
  queryKey: ['me', 'memberships'],
  queryFn: async ({ signal }) => (await api.call(listMemberships, {}, signal)).data,
})

export const membershipTenantName = ({ orgName, partnerName }: MembershipView): string => orgName ?? partnerName
