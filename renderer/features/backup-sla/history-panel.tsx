import { SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { slaHistoryQuery } from '../../data/backup-sla.ts'
import { plural } from '../../lib/format.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'

const HistoryChart = lazyPart(
  'sla-history-chart',
  async () => (await import('./history-chart.tsx')).HistoryChart,
  <Skeleton h={160} />,
)

const ranges = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
]

/** On how many devices something was not kept, day by day. */
export function HistoryPanel({ orgId }: { orgId: string }) {
  const { shown: days = '30' } = useSearch({ from: '/app/backup/sla' })
  const navigate = useNavigate({ from: '/backup/sla' })
  const history = useQuery(slaHistoryQuery(orgId, Number(days)))
  const choose = (next: string) =>
    navigate({
      search: (old) => ({ ...old, shown: next === '7' || next === '90' ? next : undefined }),
      replace: true,
      resetScroll: false,
    })
  return (
    <Panel
      title="History"
      actions={<SegmentedControl size="xs" aria-label="Time range" data={ranges} value={days} onChange={choose} />}
    >
      <Loaded of={history} loading={<Skeleton h={160} />}>
        {({ points }) => {
          const bad = points.filter(({ devices }) => devices > 0).length
          return (
            <>
              <Text size="sm" mb="sm">
                {bad === 0
                  ? `Met on every device in the last ${days} days.`
                  : `Not met on some device on ${plural(bad, 'day')} of the last ${days}.`}
              </Text>
              {bad > 0 && <HistoryChart points={points} />}
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}
