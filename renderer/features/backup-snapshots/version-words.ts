import type { FileVersion } from '../../data/backup-snapshots.ts'
import { dateOnly } from '../../lib/format.ts'

type Kept = Pick<FileVersion, 'newestSnapshot' | 'oldestSnapshot'>

/** The snapshot to take a version from; null when none of them is listed any longer. */
export const snapshotOf = ({ newestSnapshot, oldestSnapshot }: Kept): string | null =>
  newestSnapshot.id ?? oldestSnapshot.id

/** “Nov 18, 2026 to Nov 24, 2026”. */
export function keptWords({ newestSnapshot, oldestSnapshot }: Kept): string {
  const [first, last] = [dateOnly(oldestSnapshot.takenAt), dateOnly(newestSnapshot.takenAt)]
  return first === last ? last : `${first} to ${last}`
}
