import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeviceRow } from '../../../shared/api/devices.ts'
import { deviceSearchQuery } from '../../data/device-groups.ts'
import { mountedWhenOpen } from '../../ui/filter-select.tsx'
import { deviceName } from './device-labels.ts'
import { deviceStatusNames } from './device-status-names.ts'

type Device = Pick<DeviceRow, 'id' | 'status' | 'displayName' | 'hostname'>

interface Props {
  orgId: string
  label: string
  description?: string
  /** Offered first, also if they are not found. */
  first?: readonly Device[]
  /** What to say beside the name of a device. */
  hintOf?: (device: Device) => string | undefined
  value: string
  error?: string | undefined
  onChange: (deviceId: string) => void
}

const doesNothing: readonly DeviceRow['status'][] = ['offline', 'pending', 'quarantined', 'decommissioned']

/** A device that does something now; those that cannot are shown and say why. */
export function OnlineDeviceSelect({ orgId, label, description, first = [], hintOf, value, error, onChange }: Props) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<Device>()
  const [search] = useDebouncedValue(text.trim(), 150)
  const labelOf = (device: Device) => {
    const hints = [hintOf?.(device), doesNothing.includes(device.status) && deviceStatusNames[device.status]]
    const shown = hints.filter(Boolean).join(', ')
    return shown ? `${deviceName(device)} (${shown.toLowerCase()})` : deviceName(device)
  }
  const known = [...first, ...(chosen && first.every(({ id }) => id !== chosen.id) ? [chosen] : [])]
  const isChosenName = known.some((device) => device.id === value && search === labelOf(device))
  const found = useQuery(deviceSearchQuery({ orgId, search: isChosenName ? '' : search })).data ?? []
  const devices = [...known, ...found.filter(({ id }) => known.every((one) => one.id !== id))]
  return (
    <Select
      label={label}
      description={description}
      placeholder="Type a name"
      searchable
      allowDeselect={false}
      comboboxProps={mountedWhenOpen}
      // The server has filtered already.
      filter={({ options }) => options}
      nothingFoundMessage="No devices match"
      data={devices.map((device) => ({
        value: device.id,
        label: labelOf(device),
        disabled: doesNothing.includes(device.status),
      }))}
      error={error}
      value={value || null}
      onSearchChange={setText}
      onChange={(id) => {
        const device = devices.find((one) => one.id === id)
        if (!device) return
        setChosen(device)
        onChange(device.id)
      }}
    />
  )
}
