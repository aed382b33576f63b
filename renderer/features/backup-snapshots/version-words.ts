import type { FileVersion } from '../../data/backup-snapshots.ts'
import { dateOnly, plural } from '../../lib/format.ts'

type Kept = Pick<FileVersion, 'newestSnapshot' | 'oldestSnapshot' | 'snapshots'>

/** The snapshot to take a version from; null when none of them is listed any longer. */
export const snapshotOf = ({ newestSnapshot, oldestSnapshot }: Kept): string | null =>
  newestSnapshot.id ?? oldestSnapshot.id

/** “7 snapshots, Nov 18, 2026 to Nov 24, 2026”. */
export function keptWords({ newestSnapshot, oldestSnapshot, snapshots }: Kept): string {
  const [first, last] = [dateOnly(oldestSnapshot.takenAt), dateOnly(newestSnapshot.takenAt)]
  return `${plural(snapshots, 'snapshot')}, ${first === last ? last : `${first} to ${last}`}`
}
