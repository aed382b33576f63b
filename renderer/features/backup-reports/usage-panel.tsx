import { SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { BackupDashboard } from '../../../shared/api/backup-reports.ts'
import { backupUsageQuery } from '../../data/backup-reports.ts'
import { bytes, plural } from '../../lib/format.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'

const UsageChart = lazyPart(
  'usage-chart',
  async () => (await import('./usage-chart.tsx')).UsageChart,
  <Skeleton h={180} />,
)

const ranges = [
  { value: '14', label: '14 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
]

interface Props {
  orgId: string
  days: number
  storage: BackupDashboard['storage']
}

/** How much backups take, and how that grew. */
export function UsagePanel({ orgId, days, storage }: Props) {
  const navigate = useNavigate({ from: '/backup/overview' })
  const usage = useQuery(backupUsageQuery(orgId, days))
  const choose = (next: string) =>
    navigate({
      search: (old) => ({ ...old, days: next === '30' || next === '90' ? next : undefined }),
      replace: true,
      resetScroll: false,
    })
  return (
    <Panel
      title="Storage use"
      actions={
        <SegmentedControl size="xs" aria-label="Time range" data={ranges} value={String(days)} onChange={choose} />
      }
    >
      <Loaded of={usage} loading={<Skeleton h={180} />}>
        {({ points }) => {
          const stored = points.at(-1)?.storedBytes ?? null
          // Other storages do not say what they take.
          const isStored = points.some(({ storedBytes }) => (storedBytes ?? 0) > 0)
          return (
            <>
              <Text size="sm" mb="sm" {...(storage.snapshots === 0 && { c: 'dimmed' })}>
                {storage.snapshots === 0
                  ? 'No snapshots yet.'
                  : `${plural(storage.snapshots, 'snapshot')} of ${bytes(storage.totalBytes)} in total${
                      isStored ? `, stored in ${bytes(stored)}` : ''
                    }.`}
              </Text>
              {storage.snapshots > 0 && <UsageChart points={points} days={days} isStored={isStored} />}
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}
