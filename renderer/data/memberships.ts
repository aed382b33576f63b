import { queryOptions } from '@tanstack/react-query'
import { listMemberships, type MembershipView } from '../../shared/api/memberships.ts'
import { api } from '../lib/api.ts'
import { roleName } from '../lib/built-in-roles.ts'

/** The tenants that the user is a member of. */
export const membershipsQuery = queryOptions({
  queryKey: ['me', 'memberships'],
  queryFn: async ({ signal }) => {
    const { data } = await api.call(listMemberships, {}, signal)
    return data.map((membership) => ({ ...membership, roleName: roleName(membership.roleName) }))
  },
})

export const membershipTenantName = ({ orgName, partnerName }: MembershipView): string => orgName ?? partnerName
