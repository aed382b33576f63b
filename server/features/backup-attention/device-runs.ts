import type { BackupMode } from '../../../shared/backup-plan.ts'
import type { Database } from '../../db/database.ts'
import type { Flag } from '../../db/table.ts'
import type { DeviceBackup } from '../backup-policies/index.ts'

/** What came of the backups of one kind of a device. */
export interface ModeRuns {
  mode: BackupMode
  /** When the newest ended that can be restored from. */
  lastGoodAt: string | null
  /** The newest that has ended, if not by somebody’s wish. */
  newest: { id: string; status: 'completed' | 'partial' | 'failed'; endedAt: string } | null
}

/** What came of the backups of a device: of each kind that its policy asks for. */
export interface DeviceRuns {
  /** One waits or runs. */
  isBusy: boolean
  modes: readonly ModeRuns[]
  /** Since when the device has which schedule, as the last look found it. */
  watch: { schedule: string; since: string } | null
  /** What the device said last of its backup engine. */
  engineVersion: string | null
}

interface RunRow {
  deviceId: string
  mode: BackupMode
  lastGoodAt: string | null
  id: string | null
  status: 'completed' | 'partial' | 'failed'
  endedAt: string
  isBusy: Flag
  schedule: string | null
  since: string | null
  engineVersion: string | null
}

/** Devices read together; a few milliseconds. */
export const devicesPerRead = 200

/** Backups of other organizations, where a device was before, do not count. */
const rows = `
  SELECT wanted.value ->> 0 AS deviceId, wanted.value ->> 1 AS mode, newest.id, newest.status,
    newest.completed_at AS endedAt, schedule, since, backup_version AS engineVersion,
    (SELECT completed_at FROM backup_jobs INDEXED BY backup_jobs_good
     WHERE device_id = wanted.value ->> 0 AND backup_mode = wanted.value ->> 1 AND org_id = wanted.value ->> 2
       AND status IN ('completed', 'partial')
     ORDER BY completed_at DESC LIMIT 1) AS lastGoodAt,
    EXISTS (SELECT 1 FROM backup_jobs INDEXED BY backup_jobs_open
     WHERE device_id = wanted.value ->> 0 AND status IN ('pending', 'running')) AS isBusy
  FROM json_each(?) AS wanted JOIN devices ON devices.id = wanted.value ->> 0
    LEFT JOIN backup_watches ON backup_watches.device_id = wanted.value ->> 0
    LEFT JOIN backup_jobs AS newest ON newest.id = (
      SELECT id FROM backup_jobs INDEXED BY backup_jobs_ended
      WHERE device_id = wanted.value ->> 0 AND backup_mode = wanted.value ->> 1 AND org_id = wanted.value ->> 2
        AND status IN ('completed', 'partial', 'failed')
      ORDER BY completed_at DESC, id DESC LIMIT 1)`

/** Whose backups are asked about; `plan` is null for a device without a policy, of which somebody may make some all the same. */
type Asked = Pick<DeviceBackup, 'plan'> & { device: { id: string; orgId: string } }

type Found = DeviceRuns & { modes: ModeRuns[] }

/** By device; of at most `devicesPerRead` in one call. */
export function runsOf(db: Database, asked: readonly Asked[]): Map<string, DeviceRuns> {
  const wanted = asked.flatMap((one) => modesOf(one).map((mode) => [one.device.id, mode, one.device.orgId]))
  const found = new Map<string, Found>()
  for (const row of db.statement<RunRow>(rows).all(JSON.stringify(wanted))) {
    const { mode, lastGoodAt, id, status, endedAt } = row
    const runs = found.get(row.deviceId) ?? withoutRuns(row)
    found.set(row.deviceId, runs)
    runs.modes.push({ mode, lastGoodAt, newest: id === null ? null : { id, status, endedAt } })
  }
  return found
}

const withoutRuns = ({ isBusy, schedule, since, engineVersion }: RunRow): Found => ({
  isBusy: isBusy === 1,
  modes: [],
  watch: schedule === null || since === null ? null : { schedule, since },
  engineVersion,
})

/** A device without a policy is backed up by hand, and then its files. */
const modesOf = ({ plan }: Asked): BackupMode[] =>
  plan === null || plan.protects === 'broken_profile' ? ['file'] : plan.protects.map(({ mode }) => mode)
