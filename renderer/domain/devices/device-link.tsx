import { TextLink } from '../../ui/links.tsx'
import { deviceName } from './device-labels.ts'

interface Props {
  device: { deviceId: string; hostname: string; displayName: string | null }
}

export function DeviceLink({ device }: Props) {
  return (
    <TextLink to="/devices/$deviceId" params={{ deviceId: device.deviceId }} data-main fw={500} c="inherit" size="sm">
      {deviceName(device)}
    </TextLink>
  )
}
