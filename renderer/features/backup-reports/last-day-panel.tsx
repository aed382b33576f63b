import type { BackupJobStatus } from '../../../shared/api/backup-jobs.ts'
import type { BackupDashboard } from '../../../shared/api/backup-reports.ts'
import { jobStatusNames, jobTones } from '../../domain/backup-jobs/job-words.ts'
import { count } from '../../lib/format.ts'
import countList from '../../ui/count-list.module.css'
import { Panel } from '../../ui/panel.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

const rows: { key: keyof BackupDashboard['jobsLast24h']; status: BackupJobStatus }[] = [
  { key: 'completed', status: 'completed' },
  { key: 'partial', status: 'partial' },
  { key: 'failed', status: 'failed' },
  { key: 'running', status: 'running' },
  { key: 'queued', status: 'pending' },
]

/** What came of the backups of the last 24 hours. */
export function LastDayPanel({ dashboard: { jobsLast24h } }: { dashboard: BackupDashboard }) {
  return (
    <Panel title="Last 24 hours">
      <ul className={countList.list}>
        {rows.map(({ key, status }) => (
          <li key={key} className={countList.row}>
            <StatusDot tone={jobTones[status]}>{jobStatusNames[status]}</StatusDot>
            <span className="nums">{count(jobsLast24h[key])}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
