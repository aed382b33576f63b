import { useNavigate, useSearch } from '@tanstack/react-router'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { DeviceList } from './device-list.tsx'

export function DeviceListPage() {
  const search = useSearch({ from: '/app/devices' })
  const navigate = useNavigate({ from: '/devices' })
  return (
    <>
      <PageHeader title="Devices" before={<OrganizationSwitcher hiddenFrom="sm" />} />
      <DeviceList
        search={search}
        orgId={search.org}
        onSearch={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
      />
    </>
  )
}
