import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeviceStatus } from '../../../shared/api/devices.ts'
import { deviceSearchQuery } from '../../data/device-groups.ts'
import { deviceQuery } from '../../data/devices.ts'
import { mountedWhenOpen } from '../../ui/filter-select.tsx'
import { deviceName } from './device-labels.ts'

type Named = Parameters<typeof deviceName>[0] & { status: DeviceStatus }

/** Another device may have taken the name of one that was retired. */
const labelOf = (device: Named): string =>
  device.status === 'decommissioned' ? `${deviceName(device)} (decommissioned)` : deviceName(device)

interface Props {
  orgId: string
  value: string | undefined
  onChange: (deviceId: string | undefined) => void
}

/** Limits a list of what was to one device, which is found by its name; it may have been retired since. */
export function DeviceFilter({ orgId, value, onChange }: Props) {
  const chosen = useQuery({ ...deviceQuery(value ?? ''), enabled: value !== undefined }).data
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 150)
  const isChosenName = chosen !== undefined && search === labelOf(chosen)
  const found =
    useQuery(deviceSearchQuery({ orgId, search: isChosenName ? '' : search, includeDecommissioned: 'true' })).data ?? []
  const options = [...(chosen ? [chosen] : []), ...found.filter(({ id }) => id !== value)]
  return (
    <Select
      aria-label="Device"
      placeholder="Device: all"
      searchable
      clearable
      flex="1 1 150px"
      maw={{ sm: 220 }}
      comboboxProps={mountedWhenOpen}
      // The server has filtered already.
      filter={({ options: all }) => all}
      nothingFoundMessage="No devices match"
      data={options.map((device) => ({ value: device.id, label: labelOf(device) }))}
      value={value ?? null}
      onSearchChange={setText}
      onChange={(id) => onChange(id ?? undefined)}
    />
  )
}
