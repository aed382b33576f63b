import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'

type Taken = Pick<BackupSnapshot, 'id' | 'createdAt'>

/** What people mostly want to know is what changed since the one before; of the first snapshot, until the next one. */
export function usualComparison<Snapshot extends Taken>(
  snapshot: Taken,
  others: readonly Snapshot[],
): Snapshot | undefined {
  const newestFirst = others.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))
  return newestFirst.find(({ createdAt }) => createdAt < snapshot.createdAt) ?? newestFirst.at(-1)
}

export const comparedInOrder = <Snapshot extends Taken>(one: Snapshot, other: Snapshot): [Snapshot, Snapshot] =>
  one.createdAt <= other.createdAt ? [one, other] : [other, one]
