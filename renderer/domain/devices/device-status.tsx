import type { DeviceStatus } from '../../../shared/api/devices.ts'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'

export const deviceStatusNames: Record<DeviceStatus, string> = {
  online: 'Online',
  offline: 'Offline',
  updating: 'Updating',
  maintenance: 'Maintenance',
  pending: 'Pending',
  quarantined: 'Quarantined',
  decommissioned: 'Decommissioned',
}

const tones: Record<DeviceStatus, Tone> = {
  online: 'good',
  offline: 'idle',
  updating: 'busy',
  maintenance: 'warn',
  pending: 'busy',
  quarantined: 'bad',
  decommissioned: 'idle',
}

export function DeviceStatusDot({ status, isShort }: { status: DeviceStatus; isShort?: boolean }) {
  return (
    <StatusDot tone={tones[status]} isShort={isShort}>
      {deviceStatusNames[status]}
    </StatusDot>
  )
}
