import { Button } from '@mantine/core'
import { IconShieldPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { backupDashboardQuery } from '../../data/backup-reports.ts'
import { useMayProtect } from '../../domain/backup-policies/use-may-protect.ts'
import { OfOrganization } from '../../domain/organizations/choose-organization.tsx'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { useOfferActions } from '../../lib/page-actions.ts'
import { useOpenDialog } from '../../lib/use-open-dialog.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { AttentionPanel } from './attention-panel.tsx'
import { LastDayPanel } from './last-day-panel.tsx'
import classes from './overview.module.css'
import { ProtectedPanel } from './protected-panel.tsx'
import { ProtectionList } from './protection-list.tsx'
import { ProvenPanel } from './proven-panel.tsx'
import { RecoverySheetNotice } from './recovery-sheet-notice.tsx'
import { RunningPanel } from './running-panel.tsx'
import { UsagePanel } from './usage-panel.tsx'

/** How the backups of an organization stand. */
export function OverviewPage() {
  const mayProtect = useMayProtect()
  const protect = useOpenDialog('protect')
  useOfferActions(mayProtect ? [{ label: 'Protect devices', Icon: IconShieldPlus, run: protect }] : [])
  return (
    <>
      <PageHeader
        title="Backup overview"
        before={<OrganizationSwitcher hiddenFrom="sm" />}
        actions={
          mayProtect && (
            <Button leftSection={<IconShieldPlus size={16} />} onClick={protect}>
              Protect devices
            </Button>
          )
        }
      />
      <OfOrganization what="Backups">{(orgId) => <Overview key={orgId} orgId={orgId} />}</OfOrganization>
    </>
  )
}

function Overview({ orgId }: { orgId: string }) {
  const dashboard = useQuery(backupDashboardQuery(orgId))
  const { days = '14' } = useSearch({ from: '/app/backup/overview' })
  return (
    <>
      <RecoverySheetNotice orgId={orgId} />
      <div className={classes.page}>
        <Loaded of={dashboard} lines={6}>
          {(data) => (
            <>
              <div className={classes.column}>
                <AttentionPanel orgId={orgId} dashboard={data} />
                <RunningPanel orgId={orgId} />
                <UsagePanel orgId={orgId} days={Number(days)} storage={data.storage} />
              </div>
              <div className={classes.column}>
                <ProtectedPanel orgId={orgId} />
                <ProvenPanel orgId={orgId} />
                <LastDayPanel dashboard={data} />
              </div>
            </>
          )}
        </Loaded>
        <div className={classes.whole}>
          <ProtectionList orgId={orgId} />
        </div>
      </div>
    </>
  )
}
