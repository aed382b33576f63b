import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { deviceAttention, deviceStatus } from '../../../shared/api/devices.ts'
import { osType } from '../../../shared/device/inventory.ts'
import { deviceGroupsQuery } from '../../data/device-groups.ts'
import { sitesQuery } from '../../data/sites.ts'
import { attentionLabels } from '../../domain/devices/attention-labels.ts'
import { osNames } from '../../domain/devices/device-labels.ts'
import type { DeviceFilterSearch } from '../../domain/devices/device-query.ts'
import { deviceStatusNames } from '../../domain/devices/device-status-names.ts'
import { useOnlyOrganizationId } from '../../domain/organizations/selected-organization.ts'
import { siteOptions } from '../../domain/sites/site-names.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { SearchBox } from '../../ui/search-box.tsx'

interface Props {
  orgId: string | undefined
  search: DeviceFilterSearch
  onChange: (change: DeviceFilterSearch) => void
  onClear: (() => void) | undefined
  /** Buttons at the other end. */
  actions?: ReactNode
}

const options = <Value extends string>(values: readonly Value[], labels: Record<Value, string>) =>
  values.map((value) => ({ value, label: labels[value] }))

/** Sites and groups are offered once an organization is selected. */
export function DeviceFilters({ orgId, search, onChange, onClear, actions }: Props) {
  const me = useMe()
  const only = useOnlyOrganizationId()
  const org = orgId ?? only
  const sites = useQuery({ ...sitesQuery(org ?? ''), enabled: Boolean(org) && can(me, 'sites:read') }).data ?? []
  const groups = useQuery({ ...deviceGroupsQuery(org ?? ''), enabled: Boolean(org) }).data ?? []
  return (
    <FilterBar label="Filter devices" onClear={onClear} actions={actions}>
      <SearchBox
        label="Search name, IP, user, tag…"
        value={search.search}
        onSearch={(text) => onChange({ search: text })}
      />
      {sites.length > 1 && (
        <FilterSelect
          label="Site"
          searchable
          data={siteOptions(sites)}
          value={search.site}
          onChange={(site) => onChange({ site })}
        />
      )}
      {groups.length > 0 && (
        <FilterSelect
          label="Group"
          searchable
          limit={50}
          data={groups.map(({ id, name }) => ({ value: id, label: name }))}
          value={search.group}
          onChange={(group) => onChange({ group })}
        />
      )}
      <FilterSelect
        label="Status"
        data={options(deviceStatus.options, deviceStatusNames)}
        value={search.status}
        onChange={(status) => onChange({ status })}
      />
      <FilterSelect
        label="Operating system"
        all="System: all"
        data={options(osType.options, osNames)}
        value={search.os}
        onChange={(os) => onChange({ os })}
      />
      <FilterSelect
        label="Needs attention"
        all="Attention: all"
        data={deviceAttention.options.map((value) => ({ value, label: attentionLabels[value].name }))}
        value={search.attention}
        onChange={(attention) => onChange({ attention })}
      />
    </FilterBar>
  )
}
