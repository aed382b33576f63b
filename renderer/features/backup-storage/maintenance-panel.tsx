import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { readBackupMaintenance } from '../../../shared/api/backup-maintenance.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { maintenanceQuery } from '../../data/backup-maintenance.ts'
import { bytes, count } from '../../lib/format.ts'
import { useMe } from '../../lib/session.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { openComparison } from './comparison-dialog.tsx'
import { MaintenanceProblems } from './maintenance-problems.tsx'

type Maintenance = ReplyOf<typeof readBackupMaintenance>['data']

/** What becomes of expired snapshots. */
export function MaintenancePanel({ orgId, mayWrite }: { orgId: string; mayWrite: boolean }) {
  const maintenance = useQuery(maintenanceQuery(orgId))
  const compare = (
    <Button variant="default" size="compact-sm" onClick={() => openComparison(orgId)}>
      Compare with storage
    </Button>
  )
  return (
    <Panel title="Maintenance" actions={mayWrite && compare}>
      <Loaded of={maintenance} lines={3}>
        {(data) => <Maintained {...data} />}
      </Loaded>
    </Panel>
  )
}

function Maintained(maintenance: Maintenance) {
  const { engineAvailable, isRunning, lastRunAt, nextRunAt, storedBytes, expiredSnapshots, failing } = maintenance
  return (
    <Stack gap="sm">
      {!engineAvailable && <NoEngine />}
      <Text size="sm" c="dimmed">
        Expired snapshots are deleted from storage at night, two days after they expire.
      </Text>
      <Facts>
        <Fact name="Stored">{bytes(storedBytes)}</Fact>
        <Fact name="Expired, not yet deleted">
          {expiredSnapshots === 0 ? 'None' : `${count(expiredSnapshots)} snapshots`}
        </Fact>
        <Fact name="Last run">{lastRunAt && <RelativeTime at={lastRunAt} />}</Fact>
        <Fact name="Next run">
          {isRunning ? (
            <StatusDot tone="busy" isPulsing>
              Running now
            </StatusDot>
          ) : (
            nextRunAt && <RelativeTime at={nextRunAt} />
          )}
        </Fact>
      </Facts>
      {failing > 0 && <MaintenanceProblems {...maintenance} />}
    </Stack>
  )
}

function NoEngine() {
  const { isPlatformAdmin } = useMe()
  return (
    <Notice tone="warn" title="Maintenance engine not available on this host">
      <Text size="sm">
        The appliance has no restic, so expired snapshots are hidden but their data stays in storage.{' '}
        {isPlatformAdmin ? (
          <TextLink to="/system/appliance" search={{ tab: 'backup-engine' }} size="sm" underline="always">
            Add restic
          </TextLink>
        ) : (
          'Ask the administrator of the appliance to add it.'
        )}
      </Text>
    </Notice>
  )
}
