import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { deviceName } from '../devices/device-labels.ts'
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
  const isOffline = source.status === 'offline' || source.status === 'decommissioned'
  return (
    <OnlineDeviceSelect
      {...field}
      orgId={source.orgId}
      label="On which device"
      description={`${isOffline ? `${deviceName(source)} isn’t online. ` : ''}Any online device of the organization can get the files.`}
      first={[source]}
      hintOf={({ id }) => (id === source.id ? 'the same device' : undefined)}
    />
  )
}
