import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { organizationQuery, organizationsQuery } from '../organizations/data.ts'

interface Props {
  value: string | null
  onChange: (id: string) => void
}

/** Finds one among any number of organizations while its name is typed. */
export function OrganizationSelect({ value, onChange }: Props) {
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 150)
  const chosen = useQuery({ ...organizationQuery(value ?? ''), enabled: value !== null }).data
  // Opened again, it offers all of them and not just the one whose name stands in it.
  const search = asked === chosen?.name ? '' : asked
  const { data, error } = useQuery(organizationsQuery({ search, page: 1, limit: 50 }))
  const found = data?.data ?? []
  const offered = chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found
  return (
    <Select
      label="Organization"
      placeholder="Type its name"
      maw={420}
      searchable
      allowDeselect={false}
      // The appliance has searched already.
      filter={({ options }) => options}
      nothingFoundMessage={error ? 'The organizations did not load' : data ? 'No such organization' : 'Loading…'}
      data={offered.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      searchValue={text}
      onSearchChange={setText}
      onChange={(id) => id && onChange(id)}
    />
  )
}
