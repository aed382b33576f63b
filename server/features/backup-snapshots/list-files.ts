import type { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { toError } from '../../../shared/thrown.ts'
import type { OpenRepository } from '../backup-engine/index.ts'
import type { SnapshotIndex } from '../snapshot-index/index.ts'
import type { SnapshotRow } from './views.ts'

/**
 * Reads the files of a snapshot from its repository into the index, in place of what that may have of it.
 * @throws AppError of restic, IndexError
 */
export async function listFiles(
  repository: OpenRepository,
  index: Pick<SnapshotIndex, 'store' | 'remove'>,
  repositoryId: string,
  { snapshot_id: id, timestamp }: Pick<SnapshotRow, 'snapshot_id' | 'timestamp'>,
  signal: AbortSignal,
): Promise<void> {
  await index.remove(repositoryId, [id])
  const packed = createGzip({ level: 1 })
  // It may fail before anybody listens.
  packed.on('error', () => {})
  const takeOutput = (output: Readable) => {
    output.pipe(packed, { end: false })
    // Read to its end even when nobody wants it any more: restic ends with a lock left behind otherwise.
    packed.once('close', () => output.resume())
  }
  const hasRun = repository.run(['ls', '--', id], signal, { takeOutput }).then(
    (end) => {
      if (end.code === 0) packed.end()
      else packed.destroy(repository.refusalFor(end))
    },
    (error: unknown) => packed.destroy(toError(error)),
  )
  try {
    await index.store(repositoryId, { id, time: Date.parse(timestamp) }, packed)
  } catch (error) {
    throw packed.errored ?? error
  } finally {
    packed.destroy()
    await hasRun
  }
}
