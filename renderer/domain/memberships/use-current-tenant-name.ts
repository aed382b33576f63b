import { useQuery } from '@tanstack/react-query'
import { membershipsQuery, membershipTenantName } from '../../data/memberships.ts'
import { useMe } from '../../lib/session.ts'

/** Where one works now: the organization one belongs to, or the company. Empty until it is known, and for who runs the platform. */
export function useCurrentTenantName(): string {
  const me = useMe()
  const places = useQuery({ ...membershipsQuery, enabled: me.orgId !== null }).data
  const current = places?.find(({ isCurrent }) => isCurrent)
  return (me.orgId === null ? me.partnerName : current && membershipTenantName(current)) ?? ''
}
