import { useQuery } from '@tanstack/react-query'
import type { UserRow } from '../../../shared/api/people.ts'
import { deviceGroupsQuery } from '../../data/device-groups.ts'
import { organizationTreeQuery } from '../../data/organizations.ts'
import { sitesQuery } from '../../data/sites.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'

/** Names of the organizations, sites and groups in a reach, as far as the user may see them. */
export function useReachNames({ orgId = '', orgIds, siteIds, deviceGroupIds }: UserRow): (id: string) => string | null {
  const me = useMe()
  const isAsked = (ids: readonly string[] | null | undefined) => Boolean(ids?.length)
  const ofPartner = isAsked(orgIds) && can(me, 'organizations:read')
  const ofSites = isAsked(siteIds) && can(me, 'sites:read')
  const ofGroups = isAsked(deviceGroupIds) && can(me, 'devices:read')
  const organizations = useQuery({ ...organizationTreeQuery, enabled: ofPartner }).data ?? []
  const sites = useQuery({ ...sitesQuery(orgId), enabled: ofSites }).data ?? []
  const groups = useQuery({ ...deviceGroupsQuery(orgId), enabled: ofGroups }).data ?? []
  const names = new Map([...organizations, ...sites, ...groups].map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? null
}
