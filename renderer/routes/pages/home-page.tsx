import { useQuery } from '@tanstack/react-query'
import { homeQuery } from '../../data/home.ts'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { useSelectedOrganizationId } from '../../domain/organizations/selected-organization.ts'
import { RecentActivity } from '../../features/audit-log/recent-activity.tsx'
import { AttentionPanel } from '../../features/home/attention-panel.tsx'
import { FirstDevice } from '../../features/home/first-device.tsx'
import { FleetPanel } from '../../features/home/fleet-panel.tsx'
import classes from '../../features/home/home.module.css'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

export function HomePage() {
  const me = useMe()
  const orgId = useSelectedOrganizationId()
  return (
    <>
      <PageHeader title="Home" before={<OrganizationSwitcher hiddenFrom="sm" />} />
      <Loaded of={useQuery(homeQuery(orgId))}>
        {(home) => (
          <div className={classes.page}>
            <div className={classes.attention}>
              <FirstDevice home={home} />
              {home.devices.total > 0 && <AttentionPanel home={home} orgId={orgId} />}
            </div>
            {home.devices.total > 0 && (
              <div className={classes.fleet}>
                <FleetPanel devices={home.devices} orgId={orgId} />
              </div>
            )}
            {can(me, 'audit:read') && <RecentActivity orgId={orgId} />}
          </div>
        )}
      </Loaded>
    </>
  )
}
