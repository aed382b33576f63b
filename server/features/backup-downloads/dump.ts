import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { ResticEnd } from '../../../shared/node/restic-refusals.ts'
import { toError } from '../../../shared/thrown.ts'
import { AppError } from '../../platform/errors.ts'
import type { OpenRepository } from '../backup-engine/index.ts'

export interface Dumped {
  snapshotId: string
  /** As restic names it. */
  path: string
  /** The length of a file, or what restic makes of a folder. */
  as: { bytes: number } | 'tar' | 'zip'
}

/** What comes out of the repository, as it comes. It ends with an error unless it is whole. */
export interface Dump {
  content: Readable
  /** When restic has ended, and nobody reads from it any more. */
  over: Promise<void>
}

/**
 * Resolves with the first byte. As long as nobody reads, restic waits; when the content is destroyed, it is stopped, which
 * removes its lock.
 * @throws AppError when restic cannot even begin
 */
export async function beginDump(repository: OpenRepository, dumped: Dumped, signal: AbortSignal): Promise<Dump> {
  const { snapshotId, path, as } = dumped
  const content = new DumpedContent(typeof as === 'string' ? null : as.bytes)
  // It may fail before anybody listens.
  content.on('error', () => {})
  const stop = new AbortController()
  const isRead = finished(content, { cleanup: true }).catch(() => stop.abort())
  // restic itself would try for a quarter of an hour.
  let hopeless: string | undefined
  const onComplaint = (line: string) => {
    if (content.hasBegun) return
    hopeless ??= /returned error, retrying after [^:]*: (.*)/.exec(line)?.[1]
    if (hopeless !== undefined) stop.abort()
  }
  const takeOutput = (output: Readable) => {
    output.pipe(content, { end: false })
    // Read to its end in any case: restic cannot go on otherwise.
    content.once('close', () => output.resume())
  }
  const args = ['dump', ...(typeof as === 'string' ? ['--archive', as] : []), '--', snapshotId, path]
  const hasEnded = repository.run(args, AbortSignal.any([signal, stop.signal]), { takeOutput, onComplaint }).then(
    (end) => {
      if (end.code === 0) content.endIfWhole()
      else content.destroy(reasonFor(repository, hopeless === undefined ? end : { ...end, stderr: hopeless }))
    },
    (error: unknown) => content.destroy(toError(error)),
  )
  await Promise.race([content.begun, hasEnded])
  if (content.errored) throw content.errored
  return { content, over: Promise.all([hasEnded, isRead]).then(() => {}) }
}

/** A path that the index knows and the repository does not has letters in it that are no UTF-8. */
const reasonFor = (repository: OpenRepository, end: ResticEnd): AppError =>
  /cannot dump file: path .* not found in snapshot/s.test(end.stderr)
    ? new AppError('backup_path_not_found')
    : repository.refusalFor(end)

class DumpedContent extends Transform {
  readonly #expected: number | null
  readonly #begun = Promise.withResolvers<void>()
  #passed = 0

  constructor(expected: number | null) {
    super()
    this.#expected = expected
  }

  /** With the first byte. */
  get begun(): Promise<void> {
    return this.#begun.promise
  }

  get hasBegun(): boolean {
    return this.#passed > 0
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#passed += chunk.length
    if (this.#expected !== null && this.#passed > this.#expected) {
      done(new Error('The file is longer than it was'))
      return
    }
    this.#begun.resolve()
    done(null, chunk)
  }

  endIfWhole(): void {
    if (this.#expected === null || this.#passed === this.#expected) this.end()
    else this.destroy(new Error('The file is shorter than it was'))
  }
}
