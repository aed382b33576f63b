import type { Change } from '../../data/backup-snapshots.ts'
import { bytesMore } from '../../lib/format.ts'
import type { Tone } from '../../ui/status-dot.tsx'

export const changes = ['added', 'changed', 'removed'] as const satisfies readonly Change[]

export const changeNames: Record<Change, string> = { added: 'Added', changed: 'Changed', removed: 'Removed' }

export const toneOf: Record<Change, Tone> = { added: 'good', changed: 'busy', removed: 'bad' }

/** “+18.1 KB”. */
export function sizeChange(before: number | null, after: number | null): string {
  const more = (after ?? 0) - (before ?? 0)
  return more === 0 ? 'Same size' : bytesMore(more)
}
