import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { nameKey } from '../../../../shared/names.ts'
import { searchable } from '../../../../shared/paging.ts'
import { organizationQuery, organizationsQuery } from '../../../data/organizations.ts'
import { distinguishingText } from '../../../domain/organizations/same-names.ts'
import { renderOptionDetails } from './option-details.tsx'

interface Props {
  label: string
  value: string | null
  onChange: (id: string) => void
  /** Limits the search to one partner. */
  partnerId?: string | undefined
  /** Organizations of this name are offered first. */
  namedLike?: string
}

/** Searches any number of organizations by name; the slug distinguishes those of the same name. */
export function OrganizationSearch({ label, value, onChange, partnerId, namedLike = '' }: Props) {
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 150)
  const chosen = useQuery({ ...organizationQuery(value ?? ''), enabled: value !== null }).data
  // Reopening offers all organizations, not only the chosen one.
  const search = asked === chosen?.name ? '' : asked
  const page = { page: 1, limit: 50, partnerId }
  const { data, error } = useQuery(organizationsQuery({ ...page, search: searchable(search) }))
  const alike = useQuery({
    ...organizationsQuery({ ...page, search: searchable(namedLike) }),
    enabled: namedLike !== '',
  }).data?.data
  const namesakes = alike?.filter(({ name }) => nameKey(name) === nameKey(namedLike)) ?? []
  const found = [...(search === '' ? namesakes : []), ...(data?.data ?? [])]
  const details = new Map(found.map((one) => [one.id, distinguishingText(one)]))
  const names = new Map([...(chosen ? [chosen] : []), ...found].map(({ id, name }) => [id, name]))
  return (
    <Select
      label={label}
      description={chosen && `Short name: ${chosen.slug}`}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder="Type to search"
      maw={420}
      searchable
      allowDeselect={false}
      // The server has filtered already.
      filter={({ options }) => options}
      renderOption={renderOptionDetails(details)}
      nothingFoundMessage={error ? 'Organizations didn’t load' : data ? 'No organizations match' : 'Loading…'}
      data={[...names].map(([id, name]) => ({ value: id, label: name }))}
      value={value}
      searchValue={text}
      onSearchChange={setText}
      onChange={(id) => id && onChange(id)}
    />
  )
}
