import { Stack } from '@mantine/core'
import { OfOrganization } from '../../domain/organizations/choose-organization.tsx'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { DeviceUsageList } from './device-usage-list.tsx'
import { ForecastPanels } from './forecast-panels.tsx'
import { SavingsPanel } from './savings-panel.tsx'

export function UsagePage() {
  return (
    <>
      <PageHeader
        title="Backup usage"
        before={<OrganizationSwitcher hiddenFrom="sm" />}
        about="How much backups take, how they grow, and how long there is room for them."
      />
      <OfOrganization what="Usage">{(orgId) => <Usage key={orgId} orgId={orgId} />}</OfOrganization>
    </>
  )
}

function Usage({ orgId }: { orgId: string }) {
  const me = useMe()
  // How full the store is concerns the whole organization.
  const seesStore = can(me, 'backup:read') && !me.isConfined
  return (
    <Stack maw={1180}>
      {seesStore && <ForecastPanels orgId={orgId} />}
      <DeviceUsageList orgId={orgId} />
      <SavingsPanel orgId={orgId} />
    </Stack>
  )
}
