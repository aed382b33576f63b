import { Group, Text, ThemeIcon } from '@mantine/core'
import {
  IconAlertTriangle,
  IconClockExclamation,
  IconCloudX,
  IconCopy,
  IconCopyOff,
  IconDatabaseOff,
  IconEngineOff,
  IconFileAlert,
  IconPlayerSkipForward,
  IconShieldOff,
  IconShieldX,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ComponentType, ReactNode } from 'react'
import type { BackupProblem } from '../../../shared/api/backup-attention.ts'
import type { BackupAttentionItem, BackupDashboard } from '../../../shared/api/backup-reports.ts'
import { maintenanceQuery } from '../../data/backup-maintenance.ts'
import { count } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { LinkRow, LinkRows } from '../../ui/link-rows.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SkeletonLines } from '../../ui/states.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

/** What needs attention, each with a link to where it is dealt with. */
export function AttentionPanel({ orgId, dashboard }: { orgId: string; dashboard: BackupDashboard }) {
  return (
    <Panel title="Needs attention">
      <Content dashboard={dashboard} hasEngine={useHasEngine(orgId)} />
    </Panel>
  )
}

/**
 * Devices may have restic while the appliance has none; only its administrator is told, who can add it. Undefined while
 * that is not known.
 */
function useHasEngine(orgId: string): boolean | undefined {
  const me = useMe()
  const isAsked = me.isPlatformAdmin && can(me, 'backup:read')
  const { data, error } = useQuery({ ...maintenanceQuery(orgId), enabled: isAsked })
  return isAsked && !error ? data?.engineAvailable : true
}

const NoEngine = () => (
  <LinkRow
    to="/system/appliance"
    search={{ tab: 'backup-engine' }}
    icon={
      <ThemeIcon variant="light" color="yellow" size={34} radius="md" aria-hidden>
        <IconEngineOff size={19} stroke={1.6} />
      </ThemeIcon>
    }
    text="The appliance has no restic"
    note="Without it, files can’t be downloaded and expired snapshots stay in storage. Add it here."
  />
)

interface ContentProps {
  dashboard: BackupDashboard
  hasEngine: boolean | undefined
}

function Content({ dashboard: { attentionItems, attentionCount, attentionError, totals }, hasEngine }: ContentProps) {
  if (attentionError)
    return (
      <Notice tone="warn" title="This couldn’t be found out" role="alert">
        <Text size="sm">
          Backups may need attention without being listed here. Look at the devices below, and at the appliance’s log.
        </Text>
      </Notice>
    )
  if (hasEngine === undefined) return <SkeletonLines count={2} />
  if (attentionItems.length === 0 && (hasEngine || totals.policies === 0))
    return (
      <Text size="sm" component="div" c={totals.policies === 0 ? 'dimmed' : undefined}>
        {totals.policies === 0 ? (
          'No device is protected yet. “Protect devices” asks what to back up, when, and how long to keep it.'
        ) : (
          <StatusDot tone="good">Nothing needs your attention.</StatusDot>
        )}
      </Text>
    )
  const more = attentionCount - attentionItems.length
  return (
    <>
      <LinkRows>
        {!hasEngine && <NoEngine />}
        {attentionItems.map((item) => (
          <ItemRow key={item.id} item={item} />
        ))}
      </LinkRows>
      {more > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {`And ${count(more)} more. The list of devices below shows all of them.`}
        </Text>
      )}
    </>
  )
}

/** Leads to where it can be solved. */
function ItemRow({ item }: { item: BackupAttentionItem }) {
  const { kind, deviceId, jobId, policyId } = item
  const shared = {
    icon: <Sign item={item} />,
    text: item.title,
    note: item.description,
    aside: <RelativeTime at={item.openedAt} isShort />,
  }
  if (kind === 'no_config') return <LinkRow to="/backup/storage" {...shared} />
  if (kind === 'copy_failed' || kind === 'copy_late') return <LinkRow to="/backup/second-copies" {...shared} />
  if (kind === 'broken_profile')
    return <LinkRow to="/backup/protection" search={{ edit: policyId ?? undefined }} {...shared} />
  if (jobId && kind !== 'missed_twice' && kind !== 'unusual_change')
    return <LinkRow to="/backup/jobs/$jobId" params={{ jobId }} {...shared} />
  return <LinkRow to="/devices/$deviceId" params={{ deviceId }} search={{ tab: 'backup' }} {...shared} />
}

const icons: Record<BackupProblem, ComponentType<{ size: number; stroke: number }>> = {
  unusual_change: IconAlertTriangle,
  verification_failed: IconShieldX,
  failed: IconCloudX,
  partial: IconFileAlert,
  copy_failed: IconCopyOff,
  copy_late: IconCopy,
  missed_twice: IconClockExclamation,
  no_config: IconDatabaseOff,
  broken_profile: IconShieldOff,
  skipped_overlap: IconPlayerSkipForward,
}

function Sign({ item: { kind, severity } }: { item: BackupAttentionItem }): ReactNode {
  const Icon = icons[kind]
  return (
    <Group wrap="nowrap" gap={0}>
      <ThemeIcon variant="light" color={severity === 'critical' ? 'red' : 'yellow'} size={34} radius="md" aria-hidden>
        <Icon size={19} stroke={1.6} />
      </ThemeIcon>
      <span className="visually-hidden">{severity === 'critical' ? 'Critical:' : 'Warning:'}</span>
    </Group>
  )
}
