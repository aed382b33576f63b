import { type DeviceStatus, deviceStatus } from '../../../shared/api/devices.ts'

export const deviceStatusNames: Record<DeviceStatus, string> = {
  online: 'Online',
  offline: 'Offline',
  updating: 'Updating',
  maintenance: 'Maintenance',
  pending: 'Never seen',
  quarantined: 'Waiting for approval',
  decommissioned: 'Decommissioned',
}

const always: readonly DeviceStatus[] = ['online', 'offline']

/** The statuses that an overview shows: online and offline, and others that some device has. */
export const statusesToShow = (byStatus: Readonly<Record<string, number>> = {}): DeviceStatus[] =>
  deviceStatus.options.filter((status) => always.includes(status) || (byStatus[status] ?? 0) > 0)
