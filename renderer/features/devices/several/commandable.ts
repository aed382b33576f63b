import type { DeviceStatus } from '../../../../shared/api/devices.ts'

interface WithStatus {
  status: DeviceStatus
}

export const acceptsCommands = ({ status }: WithStatus): boolean =>
  status !== 'decommissioned' && status !== 'quarantined'

export const isReachable = ({ status }: WithStatus): boolean => status === 'online' || status === 'updating'
