import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { deviceSearchQuery } from '../../data/device-groups.ts'
import { MultiSelect } from '../../ui/multi-select.tsx'
import { deviceName } from './device-labels.ts'

interface Props {
  label: string
  orgId: string
  siteId: string | null
  value: string[]
  /** Of those that were selected elsewhere. */
  names?: ReadonlyMap<string, string>
  error?: ReactNode
  onChange: (deviceIds: string[]) => void
}

/** Devices found by name, selected one after the other. */
export function DevicePicker({ label, orgId, siteId, value, names, error: problem, onChange }: Props) {
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 150)
  const { data, error } = useQuery(deviceSearchQuery({ orgId, siteId: siteId ?? undefined, search }))
  /** Names of selected devices, which are not in the results of the next search. */
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(names ?? new Map())
  const found = data?.map((device) => ({ value: device.id, label: deviceName(device) })) ?? []
  const chosen = value
    .filter((id) => !found.some((one) => one.value === id))
    .map((id) => ({ value: id, label: known.get(id) ?? id }))
  const change = (ids: string[]) => {
    setKnown((old) => new Map([...old, ...found.map((one) => [one.value, one.label] as const)]))
    onChange(ids)
  }
  return (
    <MultiSelect
      label={label}
      error={problem}
      placeholder={value.length === 0 ? 'Type a name' : ''}
      searchable
      // The server has filtered already; selected devices are not offered again.
      filter={({ options }) => options}
      hidePickedOptions
      nothingFoundMessage={error ? 'Devices didn’t load' : data ? 'No devices match' : 'Loading…'}
      data={[...chosen, ...found]}
      value={value}
      searchValue={text}
      onSearchChange={setText}
      onChange={change}
    />
  )
}
