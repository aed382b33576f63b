import { Button, Group, Select } from '@mantine/core'
import { useMemo } from 'react'
import { type UserRow, type UserStatus, userStatus } from '../../../shared/api/people.ts'
import { SearchBox } from '../../ui/search-box.tsx'
import { type PeopleFilters as Filters, filterOptions } from './filter-people.ts'

interface Props {
  people: readonly UserRow[]
  filters: Filters
  partnerName: string
  isOneOrganization: boolean
  onChange: (change: Filters) => void
  onClear: (() => void) | undefined
}

const statusWords: Record<UserStatus, string> = { active: 'Active', invited: 'Invited', disabled: 'Disabled' }

export function PeopleFilters({ people, filters, partnerName, isOneOrganization, onChange, onClear }: Props) {
  const { tenants, roles } = useMemo(() => filterOptions(people), [people])
  const filter = { clearable: true, flex: '1 1 130px', maw: { sm: 190 } } as const
  return (
    <Group gap="xs" flex="1 1 300px" role="search" aria-label="Filter the people">
      <SearchBox
        label="Search by name, e-mail or role"
        value={filters.search}
        onSearch={(text) => onChange({ search: text })}
      />
      {tenants.length > 0 && !isOneOrganization && (
        <Select
          {...filter}
          searchable
          limit={50}
          aria-label="Belongs to"
          placeholder="Belongs to"
          data={[{ value: 'company', label: partnerName }, ...tenants]}
          value={filters.within ?? null}
          onChange={(within) => onChange({ within: within ?? undefined })}
        />
      )}
      {roles.length > 1 && (
        <Select
          {...filter}
          searchable
          aria-label="Role"
          placeholder="Role"
          data={roles}
          value={filters.as ?? null}
          onChange={(as) => onChange({ as: as ?? undefined })}
        />
      )}
      <Select
        {...filter}
        aria-label="Status"
        placeholder="Status"
        data={userStatus.options.map((value) => ({ value, label: statusWords[value] }))}
        value={filters.account ?? null}
        onChange={(account) => onChange({ account: (account ?? undefined) as UserStatus | undefined })}
      />
      {onClear && (
        <Button variant="subtle" color="gray" size="sm" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </Group>
  )
}
