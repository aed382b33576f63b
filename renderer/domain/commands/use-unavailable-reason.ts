import type { DeviceDetail } from '../../../shared/api/devices.ts'
import type { Permission } from '../../../shared/permissions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'

/** Why the user cannot send this device what the permission is for; null if they can. */
export function useUnavailableReason(device: DeviceDetail, permission: Permission): string | null {
  const me = useMe()
  if (device.status === 'decommissioned') return 'The device is decommissioned'
  if (device.status === 'quarantined') return 'The device is waiting for approval'
  return can(me, permission) ? null : 'Your role doesn’t allow this'
}
