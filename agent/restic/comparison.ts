import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileChecksum } from '../../shared/device/backup.ts'
import type { VerificationOutcome } from '../../shared/device/backup-verification.ts'
import { sha256Of } from './checksums.ts'
import type { SnapshotNode } from './snapshot-nodes.ts'

interface Using {
  /** Where everything was restored to. */
  folder: string
  checksums: readonly FileChecksum[]
  /** What restic said of a file that it could not restore as it was, by path. */
  complaints: ReadonlyMap<string, string>
  signal: AbortSignal
}

const keptFiles = 1000

/** Compares what was restored with what the snapshot has, and with what the files were when it was made. */
export class Comparison {
  readonly #using: Using
  readonly #checksums: ReadonlyMap<string, FileChecksum>
  readonly #failed: { path: string; error: string }[] = []
  #filesFailed = 0
  #missing = 0
  #otherContent = 0
  #files = 0
  #good = 0
  #others = 0
  #bytes = 0
  #checksumsCompared = 0
  #unreadableNames = 0

  constructor(using: Using) {
    this.#using = using
    this.#checksums = new Map(using.checksums.map((one) => [one.path, one]))
  }

  async add(node: SnapshotNode): Promise<void> {
    this.#using.signal.throwIfAborted()
    // Bytes that are no text cannot be told from what restic says of them.
    if (node.path.includes('\uFFFD')) {
      this.#unreadableNames++
      return
    }
    const isFile = node.type === 'file'
    if (!isFile && node.type !== 'dir' && node.type !== 'symlink') return
    const error = this.#using.complaints.get(node.path) ?? (await this.#deviationOf(node))
    if (isFile) this.#files++
    if (error !== null) {
      this.#filesFailed++
      if (this.#failed.length < keptFiles) this.#failed.push({ path: node.path, error })
    } else if (isFile) {
      this.#good++
      this.#bytes += node.size
    } else this.#others++
  }

  /** `refused`: what restic said when it did not restore everything. */
  verdict(refused: string | null): VerificationOutcome {
    const failed = this.#filesFailed
    const counts = {
      filesVerified: this.#good,
      filesFailed: failed,
      sizeBytes: this.#bytes,
      failedFiles: this.#failed,
      checksumsCompared: this.#checksumsCompared,
      ...(this.#warnings.length > 0 && { warnings: this.#warnings }),
    }
    if (this.#files === 0 && this.#unreadableNames === 0 && this.#others > 0 && failed === 0 && refused === null)
      return { status: 'passed', ...counts }
    if (this.#good === 0) return { status: 'failed', ...counts, reason: refused ?? 'Nothing could be compared' }
    if (failed === 0 && refused === null) return { status: 'passed', ...counts }
    const reason = refused ?? `${failed} of ${this.#files + this.#others} files and folders differ or are missing`
    const isLost = this.#otherContent > 0 || this.#missing * 10 > this.#files
    return { status: isLost ? 'failed' : 'partial', ...counts, reason }
  }

  get #warnings(): string[] {
    const said: string[] = []
    if (this.#files === 0 && this.#unreadableNames === 0) said.push('empty_snapshot')
    if (this.#unreadableNames > 0)
      said.push(`${this.#unreadableNames} files whose names are no valid text were not compared`)
    return said
  }

  async #deviationOf(node: SnapshotNode): Promise<string | null> {
    const place = join(this.#using.folder, ...node.path.split('/'))
    const found = await lstat(place).catch(() => null)
    if (!found) {
      if (node.type === 'file') this.#missing++
      return 'is missing in what was restored'
    }
    if (node.type === 'dir') return found.isDirectory() ? null : 'is no folder any more'
    if (node.type === 'symlink') return found.isSymbolicLink() ? null : 'is no link any more'
    if (!found.isFile()) return 'is no file any more'
    if (found.size !== node.size) return `has ${found.size} bytes in place of ${node.size}`
    return this.#contentDeviationOf(node.path, place)
  }

  async #contentDeviationOf(path: string, place: string): Promise<string | null> {
    const checksum = this.#checksums.get(path)
    if (!checksum) return null
    const sha256 = await sha256Of(place, this.#using.signal).catch(() => null)
    if (sha256 === null) return 'cannot be read'
    this.#checksumsCompared++
    if (sha256 === checksum.sha256) return null
    this.#otherContent++
    return 'has other content than when it was backed up'
  }
}
