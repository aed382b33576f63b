import type { DeviceStatus } from '../../../shared/api/devices.ts'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'
import { deviceStatusNames } from './device-status-names.ts'

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
