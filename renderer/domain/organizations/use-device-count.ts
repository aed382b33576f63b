import { useQuery } from '@tanstack/react-query'
import { deviceStatsQuery } from '../../data/devices.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'

/** Number of devices of an organization; undefined while loading, and for users who may not see devices. */
export function useDeviceCount(orgId: string): number | undefined {
  const enabled = can(useMe(), 'devices:read')
  return useQuery({ ...deviceStatsQuery(orgId), enabled }).data?.data.total
}
