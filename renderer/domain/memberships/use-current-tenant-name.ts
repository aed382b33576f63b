import { useQuery } from '@tanstack/react-query'
import { membershipsQuery, membershipTenantName } from '../../data/memberships.ts'
import { useMe } from '../../lib/session.ts'

/**
 * Name of the organization or partner that the session works in; empty while loading, and for platform
 * administrators.
 */
export function useCurrentTenantName(): string {
  const me = useMe()
  const memberships = useQuery({ ...membershipsQuery, enabled: me.orgId !== null }).data
  const current = memberships?.find(({ isCurrent }) => isCurrent)
  return (me.orgId === null ? me.partnerName : current && membershipTenantName(current)) ?? ''
}
