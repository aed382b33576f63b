import { Button, Group, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type DeviceStatus, deviceStatus } from '../../../shared/api/devices.ts'
import { type OsType, osType } from '../../../shared/device/inventory.ts'
import { deviceGroupsQuery } from '../../data/device-groups.ts'
import { sitesQuery } from '../../data/sites.ts'
import { osNames } from '../../domain/devices/device-labels.ts'
import { deviceStatusNames } from '../../domain/devices/device-status.tsx'
import { useOnlyOrganizationId } from '../../domain/organizations/selected-organization.ts'
import { siteOptions } from '../../domain/sites/site-names.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { SearchBox } from '../../ui/search-box.tsx'

export interface Filters {
  search?: string | undefined
  site?: string | undefined
  group?: string | undefined
  status?: DeviceStatus | undefined
  os?: OsType | undefined
}

interface Props {
  orgId: string | undefined
  search: Filters
  onChange: (change: Filters) => void
  onClear: (() => void) | undefined
}

const options = <Value extends string>(values: readonly Value[], labels: Record<Value, string>) =>
  values.map((value) => ({ value, label: labels[value] }))

/** Sites and groups are offered once an organization is selected. */
export function DeviceFilters({ orgId, search, onChange, onClear }: Props) {
  const me = useMe()
  const only = useOnlyOrganizationId()
  const org = orgId ?? only
  const sites = useQuery({ ...sitesQuery(org ?? ''), enabled: Boolean(org) && can(me, 'sites:read') }).data ?? []
  const groups = useQuery({ ...deviceGroupsQuery(org ?? ''), enabled: Boolean(org) }).data ?? []
  const filter = { clearable: true, searchable: true, flex: '1 1 130px', maw: { sm: 190 } } as const
  return (
    <Group gap="xs" mb="md" role="search" aria-label="Filter the devices">
      <SearchBox label="Search by name" value={search.search} onSearch={(text) => onChange({ search: text })} />
      {sites.length > 1 && (
        <Select
          {...filter}
          aria-label="Site"
          placeholder="Site"
          data={siteOptions(sites)}
          value={search.site ?? null}
          onChange={(id) => onChange({ site: id ?? undefined })}
        />
      )}
      {groups.length > 0 && (
        <Select
          {...filter}
          aria-label="Group"
          placeholder="Group"
          limit={50}
          data={groups.map(({ id, name }) => ({ value: id, label: name }))}
          value={search.group ?? null}
          onChange={(id) => onChange({ group: id ?? undefined })}
        />
      )}
      <Select
        {...filter}
        searchable={false}
        aria-label="Status"
        placeholder="Status"
        data={options(deviceStatus.options, deviceStatusNames)}
        value={search.status ?? null}
        onChange={(status) => onChange({ status: (status ?? undefined) as DeviceStatus | undefined })}
      />
      <Select
        {...filter}
        searchable={false}
        aria-label="Operating system"
        placeholder="System"
        data={options(osType.options, osNames)}
        value={search.os ?? null}
        onChange={(os) => onChange({ os: (os ?? undefined) as OsType | undefined })}
      />
      {onClear && (
        <Button variant="subtle" color="gray" size="sm" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </Group>
  )
}
