import { useQuery } from '@tanstack/react-query'
import type { DeviceRow } from '../../../shared/api/devices.ts'
import { deviceSearchQuery } from '../../data/device-groups.ts'

/**
 * The device of an organization, where it has exactly one, to be preselected; those out of service count, because what
 * they backed up is still there. Undefined while that is not known.
 */
export function useOnlyDevice(orgId: string): DeviceRow | null | undefined {
  const { data } = useQuery(deviceSearchQuery({ orgId, search: '', includeDecommissioned: 'true' }))
  return data && (data.length === 1 ? (data[0] ?? null) : null)
}
