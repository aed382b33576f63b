import type { BackupRetention } from '../../../shared/backup-plan.ts'
import { daysKept, generationsOf, withPreset } from '../../../shared/backup-retention.ts'
import { day } from '../../platform/clock.ts'

/** What would go if a policy kept less, and an estimate of what that would free. Pure. */

export interface KeptSnapshot {
  /** The storage and the kind: the newest of each always stays. */
  series: string
  takenAt: number
  size: number
  /** What its backup added; null when that is not known. */
  addedBytes: number | null
  isProtected: boolean
}

export type Less = Pick<
  BackupRetention,
  'keepDaily' | 'keepWeekly' | 'keepMonthly' | 'keepYearly' | 'retentionDays' | 'maxVersions'
>

const numbers = ['keepDaily', 'keepWeekly', 'keepMonthly', 'keepYearly', 'retentionDays', 'maxVersions'] as const

/** Of a policy that keeps everything. */
const aYear: Less = { keepDaily: 30, keepWeekly: 12, keepMonthly: 12 }

/** Half of each number, and of everything a year; null when it cannot keep less. */
export function lessThan(wanted: BackupRetention): Less | null {
  const retention = withPreset(wanted)
  const given = numbers.flatMap((number) => (retention[number] ? [[number, retention[number]] as const] : []))
  if (given.length === 0) return aYear
  const halved = given.map(([number, count]) => [number, Math.ceil(count / 2)] as const)
  return halved.every(([, count], at) => count === given[at]?.[1]) ? null : Object.fromEntries(halved)
}

/** Of one device. */
export function goingUnder(
  { weeklyDay }: BackupRetention,
  less: Less,
  snapshots: readonly KeptSnapshot[],
  now: number,
): Set<KeptSnapshot> {
  const going = new Set<KeptSnapshot>()
  for (const series of Map.groupBy(snapshots, ({ series }) => series).values()) {
    const newestFirst = series.toSorted((one, other) => other.takenAt - one.takenAt)
    for (const [version, snapshot] of newestFirst.entries()) {
      if (version === 0 || snapshot.isProtected) continue
      const asked = { weeklyDay }
      const days = daysKept(generationsOf(snapshot.takenAt, asked), { ...asked, ...less })
      const isTooOld = days !== null && snapshot.takenAt + days * day <= now
      if (isTooOld || version >= (less.maxVersions ?? Number.POSITIVE_INFINITY)) going.add(snapshot)
    }
  }
  return going
}

/**
 * What is stored beyond the newest snapshot is what the others have and it has not: about as much as the backups after
 * each of them added, for what is new takes the place of what was before. Each frees its share of that.
 */
export function savedBytes(
  snapshots: readonly KeptSnapshot[],
  going: ReadonlySet<KeptSnapshot>,
  { storedBytes, compression }: { storedBytes: number; compression: number },
): number {
  let [older, freed, newestBytes] = [0, 0, 0]
  const known = snapshots.flatMap(({ addedBytes }) => (addedBytes === null ? [] : [addedBytes]))
  const usual = known.length > 0 ? known.reduce((sum, one) => sum + one, 0) / known.length : 1
  for (const series of Map.groupBy(snapshots, ({ series }) => series).values()) {
    const oldestFirst = series.toSorted((one, other) => one.takenAt - other.takenAt)
    newestBytes += oldestFirst.at(-1)?.size ?? 0
    for (const [at, snapshot] of oldestFirst.slice(0, -1).entries()) {
      const replaced = oldestFirst[at + 1]?.addedBytes ?? usual
      older += replaced
      if (going.has(snapshot)) freed += replaced
    }
  }
  const history = Math.max(0, storedBytes - newestBytes / compression)
  return older === 0 ? 0 : Math.round((history * freed) / older)
}
