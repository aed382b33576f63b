import type { Selectable } from 'kysely'
import type { BackupProblem } from '../../../shared/api/backup-attention.ts'
import type { BackupAttentionItem } from '../../../shared/api/backup-reports.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson } from '../../lib/json.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { Tables } from '../../tables.ts'
import { openProblems } from '../backup-attention/index.ts'
import type { Scope } from './windows.ts'

const maxItems = 20
/** So many of the last backups say how serious it is. */
const runsLookedAt = 5

/** The worst first. */
const order: readonly BackupProblem[] = [
  'unusual_change',
  'verification_failed',
  'missed_twice',
  'copy_failed',
  'copy_late',
  'no_config',
  'broken_profile',
  'failed',
  'sla_breach',
  'partial',
  'skipped_overlap',
]

interface AttentionItems {
  attentionItems: BackupAttentionItem[]
  attentionCount: number
}

/** What needs attention in the organization, and how much of it there is. */
export function* attentionItems(db: Database, { orgId, reach }: Scope): Steps<AttentionItems> {
  const found: BackupAttentionItem[] = []
  let attentionCount = 0
  for (const kind of order) {
    yield
    const open = openProblems(reach, orgId).where('kind', '=', kind)
    const { total } = db.one(open.select((select) => select.fn.countAll<number>().as('total')))
    attentionCount += total
    if (total === 0 || found.length === maxItems) continue
    yield
    const rows = db.all(
      open
        .innerJoin('devices', 'devices.id', 'backup_attention.device_id')
        .select(['device_id', 'kind', 'details', 'opened_at', 'hostname', 'display_name'])
        .orderBy('opened_at', 'desc')
        .limit(maxItems - found.length),
    )
    found.push(...rows.map((row) => itemOf(db, orgId, row)))
  }
  return { attentionItems: found.toSorted((one, other) => rankOf(one) - rankOf(other)), attentionCount }
}

type Row = Pick<Selectable<Tables['backup_attention']>, 'device_id' | 'kind' | 'details' | 'opened_at'> &
  Pick<Selectable<Tables['devices']>, 'hostname' | 'display_name'>

function itemOf(db: Database, orgId: string, row: Row): BackupAttentionItem {
  const { device_id: deviceId, kind, hostname, display_name } = row
  const details = fromJson(row.details)
  const deviceName = display_name ?? hostname
  const failures = kind === 'failed' ? failuresInARow(db, orgId, deviceId) : 0
  return {
    id: `backup-${idOf[kind]}-${deviceId}`,
    ...wordsOf(kind, deviceName, details.vaultName ?? details.slaName ?? details.policyName ?? '', failures),
    severity: severityOf(kind, failures),
    kind,
    deviceId,
    deviceName,
    openedAt: row.opened_at,
    jobId: details.jobId ?? null,
    policyId: details.policyId ?? null,
  }
}

const rankOf = ({ severity }: Pick<BackupAttentionItem, 'severity'>): number => (severity === 'critical' ? 0 : 1)

const idOf: Record<BackupProblem, string> = {
  unusual_change: 'unusual-change',
  verification_failed: 'unproven',
  failed: 'failing',
  partial: 'failing',
  missed_twice: 'missed',
  copy_failed: 'copy-failed',
  copy_late: 'copy-late',
  no_config: 'no-storage',
  broken_profile: 'broken-profile',
  skipped_overlap: 'skipped',
  sla_breach: 'sla',
}

/** How many of the newest backups failed one after the other; 0 when one of them was partial, which is better than nothing. */
function failuresInARow(db: Database, orgId: string, deviceId: string): number {
  const runs = db.all(
    q
      .selectFrom('backup_jobs')
      .select('status')
      .where('org_id', '=', orgId)
      .where('device_id', '=', deviceId)
      .where('status', 'in', ['completed', 'partial', 'failed'])
      .orderBy('started_at', 'desc')
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(runsLookedAt),
  )
  const good = runs.findIndex(({ status }) => status === 'completed')
  const bad = good === -1 ? runs : runs.slice(0, good)
  return bad.some(({ status }) => status === 'partial') ? 0 : bad.length
}

function severityOf(kind: BackupProblem, failures: number): BackupAttentionItem['severity'] {
  if (kind === 'failed') return failures >= 2 ? 'critical' : 'warning'
  return kind === 'partial' || kind === 'skipped_overlap' || kind === 'copy_late' ? 'warning' : 'critical'
}

/** `named`: the policy, the SLA or the second copy. */
function wordsOf(kind: BackupProblem, device: string, named: string, failures: number) {
  switch (kind) {
    case 'copy_failed':
      return {
        title: `The second copy of ${device} failed`,
        description: `Backups could not be copied to “${named}”, or what is there is damaged. The page “Second copies” says why.`,
      }
    case 'copy_late':
      return {
        title: `The second copy of ${device} is late`,
        description: `New backups wait for “${named}”. If it is on a disk, connect the disk.`,
      }
    case 'unusual_change':
      return {
        title: `The last backup of ${device} has an unusual change`,
        description: 'This may be ransomware. Older snapshots are kept until somebody has decided.',
      }
    case 'verification_failed':
      return {
        title: `A check of the backups of ${device} failed`,
        description: 'Files may not be restorable. The tab “Backup” of the device says what was found.',
      }
    case 'failed':
      return {
        title: `Backups of ${device} fail`,
        description:
          failures >= 2
            ? `The last ${failures === runsLookedAt ? `${failures} or more` : failures} backups failed. Open the newest one: it says why.`
            : 'The last backup failed. Open it: it says why.',
      }
    case 'partial':
      return {
        title: `The backup of ${device} is incomplete`,
        description: 'Some files could not be read. The page of the backup lists them.',
      }
    case 'missed_twice':
      return {
        title: `${device} missed two backups in a row`,
        description: 'Check that the device is turned on and connected when backups are due.',
      }
    case 'no_config':
      return {
        title: `${device} has nowhere to back up to`,
        description: `The policy “${named}” names no storage that is turned on, and there is no default one.`,
      }
    case 'broken_profile':
      return {
        title: `Nothing of ${device} is backed up`,
        description: `The backup profile of the policy “${named}” has nothing to back up.`,
      }
    case 'sla_breach':
      return {
        title: `${device} doesn’t meet its SLA`,
        description: `“${named}” promises more recent backups, or a faster restore, than there are.`,
      }
    case 'skipped_overlap':
      return {
        title: `A backup of ${device} was left out`,
        description: 'The one before had not ended when it was time. It may take too long for its schedule.',
      }
  }
}
