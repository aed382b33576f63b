import { type DeviceStatus, deviceStatus } from '../../../shared/api/devices.ts'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'

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

const tones: Record<DeviceStatus, Tone> = {
  online: 'good',
  offline: 'idle',
  updating: 'busy',
  maintenance: 'warn',
  pending: 'busy',
  quarantined: 'bad',
  decommissioned: 'idle',
}

interface Props {
  status: DeviceStatus
  isShort?: boolean
  /** How long the device had it. */
  span?: string
  /** When the status ends, as people read it. */
  until?: string | undefined
}

export function DeviceStatusDot({ status, isShort, span, until }: Props) {
  return (
    <StatusDot tone={tones[status]} isShort={isShort}>
      {[deviceStatusNames[status], span, until && `until ${until}`].filter(Boolean).join(' ')}
    </StatusDot>
  )
}
