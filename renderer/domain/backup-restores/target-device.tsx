import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeviceDetail, DeviceRow } from '../../../shared/api/devices.ts'
import { deviceSearchQuery } from '../../data/device-groups.ts'
import { mountedWhenOpen } from '../../ui/filter-select.tsx'
import { deviceName } from '../devices/device-labels.ts'
import { deviceStatusNames } from '../devices/device-status-names.ts'

type Device = Pick<DeviceRow, 'id' | 'status' | 'displayName' | 'hostname'>

interface Props {
  /** That was backed up. */
  source: DeviceDetail
  target: DeviceDetail | undefined
  value: string
  error: string | undefined
  onChange: (deviceId: string) => void
}

const cannotRestore: readonly DeviceRow['status'][] = ['offline', 'pending', 'quarantined', 'decommissioned']

/** On which device of the organization: the one that was backed up, or another. */
export function TargetDevice({ source, target, value, error, onChange }: Props) {
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 150)
  const chosenLabel = target && labelOf(target, source)
  const isChosen = chosenLabel !== undefined && search === chosenLabel
  const found = useQuery(deviceSearchQuery({ orgId: source.orgId, search: isChosen ? '' : search })).data ?? []
  const first: Device[] = [source, ...(target && target.id !== source.id ? [target] : [])]
  const devices = [...first, ...found.filter(({ id }) => first.every((one) => one.id !== id))]
  return (
    <Select
      label="On which device"
      description={`Any online device of the organization${source.status === 'online' ? '' : `; ${deviceName(source)} is ${deviceStatusNames[source.status].toLowerCase()}`}.`}
      placeholder="Type a name"
      searchable
      allowDeselect={false}
      comboboxProps={mountedWhenOpen}
      // The server has filtered already.
      filter={({ options }) => options}
      nothingFoundMessage="No devices match"
      data={devices.map((device) => ({
        value: device.id,
        label: labelOf(device, source),
        disabled: cannotRestore.includes(device.status),
      }))}
      error={error}
      value={value || null}
      onSearchChange={setText}
      onChange={(id) => id && onChange(id)}
    />
  )
}

function labelOf(device: Device, source: DeviceDetail): string {
  const hints = [
    device.id === source.id && 'the same device',
    cannotRestore.includes(device.status) && deviceStatusNames[device.status].toLowerCase(),
  ].filter(Boolean)
  return hints.length > 0 ? `${deviceName(device)} (${hints.join(', ')})` : deviceName(device)
}
