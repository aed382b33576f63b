import type { Readable } from 'node:stream'
import type { OpenRepository } from '../backup-engine/index.ts'
import { type FilePair, resticPathOf } from '../snapshot-index/index.ts'
import { headBytes, isSpoiled } from './content.ts'
import { enoughLookedInto, enoughSpoiled, type Looked } from './verdict.ts'

interface Snapshots {
  /** As restic names them. */
  older: string
  newer: string
}

/**
 * Looks into files before and after, one at a time, until it is clear. What the repository does not have is passed over:
 * a name that is no UTF-8 has another path there.
 * @throws AppError of restic
 */
export async function lookInto(
  repository: OpenRepository,
  { older, newer }: Snapshots,
  pairs: readonly FilePair[],
  signal: AbortSignal,
): Promise<Looked> {
  const looked = { files: 0, spoiled: 0 }
  for (const [at, { how, before, after }] of pairs.entries()) {
    const isClear = looked.files >= enoughLookedInto && looked.spoiled + pairs.length - at < enoughSpoiled
    if (looked.spoiled >= enoughSpoiled || isClear) break
    const now = await headOf(repository, newer, after, signal)
    const then = now && (await headOf(repository, older, before, signal))
    if (!now || !then) continue
    looked.files++
    if (isSpoiled(how, then, now)) looked.spoiled++
  }
  return looked
}

/** The first bytes of a file; null when the repository has none of that path. */
async function headOf(
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
