import type { SlaDashboard } from '../../../shared/api/backup-sla.ts'
import { count, plural, timeSpan } from '../../lib/format.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

/** How far promises are kept, in numbers. */
export function SummaryPanel({ dashboard }: { dashboard: SlaDashboard }) {
  const { activeConfigs, compliantConfigs, breachedDevices, totalEventsLast30d, avgRpoMinutes, avgRtoMinutes } =
    dashboard
  return (
    <Panel title="Summary">
      <Facts>
        <Fact name="SLAs met">
          {activeConfigs === 0 ? (
            'None is on'
          ) : (
            <StatusDot tone={compliantConfigs === activeConfigs ? 'good' : 'bad'}>
              {`${count(compliantConfigs)} of ${count(activeConfigs)}`}
            </StatusDot>
          )}
        </Fact>
        <Fact name="Not met on">{plural(breachedDevices, 'device')}</Fact>
        <Fact name="Breaches in 30 days">{count(totalEventsLast30d)}</Fact>
        {avgRpoMinutes > 0 && <Fact name="Newest backups, average age">{timeSpan(avgRpoMinutes * 60)}</Fact>}
        {avgRtoMinutes > 0 && <Fact name="Restores, average estimate">{timeSpan(avgRtoMinutes * 60)}</Fact>}
      </Facts>
    </Panel>
  )
}
