import type { BackupProblem, ProtectionState } from '../../../shared/api/backup-attention.ts'
import { iso, minute } from '../../platform/clock.ts'
import { engineOf } from '../backup-engine/index.ts'
import { type Around, type DeviceBackup, occurrencesAround } from '../backup-policies/index.ts'
import type { BackupDigestProblem } from '../messaging/index.ts'
import type { DeviceRuns, ModeRuns } from './device-runs.ts'
import type { ProblemDetails } from './tables.ts'

/** What is wrong with the backups of a device. Pure: everything it depends on is an argument. */

/** What a policy says of the backups of a device. */
export type Planned = Pick<DeviceBackup, 'plan' | 'destination' | 'timeZone' | 'source'>

/** A device as one look finds it. */
export interface Look {
  backup: Planned
  runs: DeviceRuns
  /** The times next to the moment up to which one may have been missed; null without a schedule. */
  due: Around | null
}

/** A backup has so much time to begin before its time counts as missed. */
const beginsWithinMs = 5 * minute

/** Looks at many devices at one moment. */
export function looksAt(now: number): (backup: Planned, runs: DeviceRuns) => Look {
  const around = occurrencesAround(now - beginsWithinMs)
  return (backup, runs) => ({
    backup,
    runs,
    due: backup.plan?.schedule ? around(backup.plan.schedule, backup.timeZone) : null,
  })
}

/** Whether a backup of the device can be made at all, as far as its policy goes. */
export const isUsable = ({ plan, destination }: Pick<Planned, 'plan' | 'destination'>): boolean =>
  plan !== null && plan.protects !== 'broken_profile' && destination !== 'no_config'

/** Changes whenever the times of a device’s backups do; null when there are none. */
export const scheduleKey = (backup: Planned): string | null =>
  isUsable(backup) && backup.plan?.schedule
    ? `${backup.plan.linkId} ${JSON.stringify(backup.plan.schedule)} ${backup.timeZone}`
    : null

/** How many of the last two times passed without a backup that can be restored from. */
export function missedTimes({ backup, runs, due }: Look): 0 | 1 | 2 {
  // What waits or runs may still become one; and what was due under another schedule was not missed under this one.
  if (!due?.latest || runs.isBusy || runs.watch === null || runs.watch.schedule !== scheduleKey(backup)) return 0
  const since = Date.parse(runs.watch.since)
  const lastGood = oldestGood(runs)
  const isMissed = (at: number) => at >= since && (lastGood === null || at > Date.parse(lastGood))
  if (!isMissed(due.latest.at)) return 0
  return due.previous && isMissed(due.previous.at) ? 2 : 1
}

/** Of a device with several kinds of backups, the one that is furthest behind; null when one of them was never made. */
function oldestGood({ modes }: DeviceRuns): string | null {
  const [oldest] = modes.map(({ lastGoodAt }) => lastGoodAt ?? '').sort()
  return oldest || null
}

/** When the newest backup ended that can be restored from, of any kind. */
export const newestGood = ({ modes }: DeviceRuns): string | null =>
  modes.map(({ lastGoodAt }) => lastGoodAt ?? '').reduce((one, other) => (one < other ? other : one), '') || null

/** The newest backup that has ended, of any kind. */
export function newestEnded({ modes }: DeviceRuns): NonNullable<ModeRuns['newest']> | null {
  let found: ModeRuns['newest'] = null
  for (const { newest } of modes) if (newest && (found?.endedAt ?? '') < newest.endedAt) found = newest
  return found
}

export function stateOf(look: Look): ProtectionState {
  const { backup, runs } = look
  if (!isUsable(backup)) return 'unprotected'
  if (engineOf(runs.engineVersion) === 'none') return 'no_engine'
  if (endedAs(runs, 'failed')) return 'failing'
  if (newestGood(runs) === null) return 'never'
  return missedTimes(look) === 2 ? 'overdue' : 'protected'
}

const endedAs = ({ modes }: DeviceRuns, status: 'failed' | 'partial'): ModeRuns['newest'] =>
  modes.find(({ newest }) => newest?.status === status)?.newest ?? null

/** Other features find it, and say when it is over. */
export const isFoundElsewhere = (kind: BackupProblem): boolean =>
  kind === 'unusual_change' || kind === 'verification_failed' || kind === 'copy_failed' || kind === 'copy_late'

/** Everything that is wrong but a backup that was left out, which shows only when it would have been time. */
export function problemsOf(look: Look): Map<BackupProblem, ProblemDetails> {
  const { plan, destination, source } = look.backup
  const found = new Map<BackupProblem, ProblemDetails>()
  const policy = source ? { policyId: source.policyId, policyName: source.policyName } : {}
  if (plan?.protects === 'broken_profile') found.set('broken_profile', policy)
  else if (plan && destination === 'no_config') found.set('no_config', policy)
  else if (missedTimes(look) === 2) found.set('missed_twice', { ...policy, ...missed(look) })
  for (const status of ['failed', 'partial'] as const) {
    const bad = endedAs(look.runs, status)
    if (bad) found.set(status, { jobId: bad.id, endedAt: bad.endedAt })
  }
  return found
}

function missed({ runs, due }: Look): ProblemDetails {
  const lastGoodAt = newestGood(runs)
  const dueAt = [due?.previous, due?.latest].flatMap((time) => (time ? [iso(time.at)] : []))
  return { dueAt, ...(lastGoodAt && { lastGoodAt }) }
}

/** What a morning’s mail says of a device; null when all is well, or a first backup is not due yet. */
export function digestProblemOf(look: Look): BackupDigestProblem | null {
  const { plan, destination } = look.backup
  if (plan === null) return null
  if (plan.protects === 'broken_profile') return 'broken_profile'
  if (destination === 'no_config') return 'no_config'
  if (engineOf(look.runs.engineVersion) === 'none') return plan.schedule ? 'no_engine' : null
  if (endedAs(look.runs, 'failed')) return 'failed'
  if (missedTimes(look) > 0) return newestGood(look.runs) === null ? 'never' : 'missed'
  return endedAs(look.runs, 'partial') ? 'partial' : null
}
