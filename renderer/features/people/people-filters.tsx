import { type ReactNode, useMemo } from 'react'
import { type UserRow, type UserStatus, userStatus } from '../../../shared/api/people.ts'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { type PeopleFilters as Filters, filterOptions } from './filter-people.ts'

interface Props {
  people: readonly UserRow[]
  filters: Filters
  partnerName: string
  isOneOrganization: boolean
  onChange: (change: Filters) => void
  onClear: (() => void) | undefined
  actions: ReactNode
}

const statusWords: Record<UserStatus, string> = { active: 'Active', invited: 'Invited', disabled: 'Disabled' }

export function PeopleFilters({ people, filters, partnerName, isOneOrganization, ...bar }: Props) {
  const { onChange, onClear, actions } = bar
  const { tenants, roles } = useMemo(() => filterOptions(people), [people])
  return (
    <FilterBar label="Filter people" onClear={onClear} actions={actions}>
      <SearchBox
        label="Search by name, email or role"
        value={filters.search}
        onSearch={(text) => onChange({ search: text })}
      />
      {tenants.length > 0 && !isOneOrganization && (
        <FilterSelect
          label="Belongs to"
          searchable
          limit={50}
          data={[{ value: 'company', label: partnerName }, ...tenants]}
          value={filters.within}
          onChange={(within) => onChange({ within })}
        />
      )}
      {roles.length > 1 && (
        <FilterSelect label="Role" searchable data={roles} value={filters.as} onChange={(as) => onChange({ as })} />
      )}
      <FilterSelect
        label="Status"
        data={userStatus.options.map((value) => ({ value, label: statusWords[value] }))}
        value={filters.account}
        onChange={(account) => onChange({ account })}
      />
    </FilterBar>
  )
}
