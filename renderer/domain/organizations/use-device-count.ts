import { useQuery } from '@tanstack/react-query'
import { deviceStatsQuery } from '../../data/devices.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'

/** How many devices an organization has; undefined while it is not known, and for who may not know. */
export function useDeviceCount(orgId: string): number | undefined {
  const enabled = can(useMe(), 'devices:read')
  return useQuery({ ...deviceStatsQuery(orgId), enabled }).data?.data.total
}
