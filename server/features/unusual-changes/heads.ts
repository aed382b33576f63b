import type { Readable } from 'node:stream'
import type { OpenRepository } from '../backup-engine/index.ts'
import { type FilePair, resticPathOf } from '../snapshot-index/index.ts'
import { headBytes, isSpoiled } from './content.ts'
import { enoughLookedInto, enoughSpoiled, firstLook, type Looked } from './verdict.ts'

/** The first bytes of a file in the older or the newer snapshot; null when they cannot be found there. */
export type HeadOf = (of: 'older' | 'newer', path: string) => Promise<Buffer | null>

/** Looks into files before and after, one at a time, until it is clear what they are. */
export async function lookInto(pairs: readonly FilePair[], headOf: HeadOf): Promise<Looked> {
  const looked = { files: 0, spoiled: 0 }
  for (const [at, { how, before, after }] of pairs.entries()) {
    if (looked.files === firstLook && (looked.spoiled === 0 || looked.spoiled === firstLook)) break
    if (looked.files >= enoughLookedInto && looked.spoiled + pairs.length - at < enoughSpoiled) break
    const now = await headOf('newer', after)
    const then = now && (await headOf('older', before))
    if (!now || !then) continue
    looked.files++
    if (await isSpoiled(how, then, now)) looked.spoiled++
  }
  return looked
}

/**
 * Reads them from the repository. What it does not have is passed over: a name that is no UTF-8 has another path there.
 * It throws AppError of restic.
 */
export const headsIn =
  (repository: OpenRepository, snapshots: { older: string; newer: string }, signal: AbortSignal): HeadOf =>
  (of, path) =>
    readHead(repository, snapshots[of], path, signal)

async function readHead(
  repository: OpenRepository,
  snapshotId: string,
  path: string,
  signal: AbortSignal,
): Promise<Buffer | null> {
  const stop = new AbortController()
  const chunks: Buffer[] = []
  let length = 0
  const takeOutput = (output: Readable) => {
    output.on('data', (chunk: Buffer) => {
      if (length < headBytes) chunks.push(chunk)
      length += chunk.length
      // It ends by itself when nobody wants more, and removes its lock.
      if (length >= headBytes) stop.abort()
    })
  }
  const args = ['dump', '--', snapshotId, resticPathOf(path)]
  const end = await repository.run(args, AbortSignal.any([signal, stop.signal]), { takeOutput })
  signal.throwIfAborted()
  if (length >= headBytes || end.code === 0) return Buffer.concat(chunks).subarray(0, headBytes)
  if (/path .* not found in snapshot/s.test(end.stderr)) return null
  throw repository.refusalFor(end)
}
