import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { deviceName } from '../devices/device-labels.ts'
import { deviceStatusNames } from '../devices/device-status-names.ts'
import { OnlineDeviceSelect } from '../devices/online-device-select.tsx'

interface Props {
  /** That was backed up. */
  source: DeviceDetail
  value: string
  error: string | undefined
  onChange: (deviceId: string) => void
}

/** On which device of the organization: the one that was backed up, or another. */
export function TargetDevice({ source, ...field }: Props) {
  const isOnline = source.status === 'online'
  return (
    <OnlineDeviceSelect
      {...field}
      orgId={source.orgId}
      label="On which device"
      description={
        isOnline
          ? 'Any online device of the organization.'
          : `${deviceName(source)} is ${deviceStatusNames[source.status].toLowerCase()}. Any online device of the organization will do.`
      }
      first={[source]}
      hintOf={({ id }) => (id === source.id ? 'the same device' : undefined)}
    />
  )
}
