import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileChecksum } from '../../shared/device/backup.ts'
import type { VerificationOutcome } from '../../shared/device/backup-verification.ts'
import { sha256Of } from './checksums.ts'
import { isPlain, linkTargetsIn } from './link-targets.ts'
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
const second = 1000

/** Compares what was restored with what the snapshot has, and with what the files were when it was made. */
export class Comparison {
  readonly #using: Using
  readonly #checksums: ReadonlyMap<string, FileChecksum>
  readonly #failed: { path: string; error: string }[] = []
  #filesFailed = 0
  /** Of the files. */
  #lost = 0
  #otherContent = 0
  #files = 0
  #good = 0
  #others = 0
  #bytes = 0
  #checksumsCompared = 0
  #unreadableNames = 0
  #otherTimes = 0
  #uncomparedLinks = 0
  /** Where restored links lead to, by path, as long as it is not known where they should. */
  readonly #links = new Map<string, string>()

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
      if (isFile) this.#lost++
      this.#fail(node.path, error)
    } else if (isFile) {
      this.#good++
      this.#bytes += node.size
    } else this.#others++
  }

  /** Whether there are links of which it is not known yet where they should lead to. */
  get hasLinks(): boolean {
    return this.#links.size > 0
  }

  /** A line in which restic may say where a link leads to. */
  addLinkLine(line: string): void {
    const known = linkTargetsIn(line).filter(({ path }) => this.#links.has(path))
    const [first] = known
    if (!first) return
    const same = known.find(({ path, target }) => this.#links.get(path) === target)
    this.#links.delete((same ?? first).path)
    if (same) return
    this.#others--
    this.#fail(first.path, 'leads elsewhere')
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
    const isLost = this.#otherContent > 0 || this.#lost * 10 > this.#files
    return { status: isLost ? 'failed' : 'partial', ...counts, reason }
  }

  #fail(path: string, error: string): void {
    this.#filesFailed++
    if (this.#failed.length < keptFiles) this.#failed.push({ path, error })
  }

  get #warnings(): string[] {
    const said: string[] = []
    if (this.#otherTimes > 0) said.push(`Files with another modification time than before: ${this.#otherTimes}`)
    if (this.#files === 0 && this.#unreadableNames === 0) said.push('empty_snapshot')
    const links = this.#uncomparedLinks + this.#links.size
    if (links > 0) said.push(`Links of which it was not compared where they lead: ${links}`)
    if (this.#unreadableNames > 0)
      said.push(`Files that were not compared, because their names are no valid text: ${this.#unreadableNames}`)
    return said
  }

  async #deviationOf(node: SnapshotNode): Promise<string | null> {
    const place = join(this.#using.folder, ...node.path.split('/'))
    const found = await lstat(place).catch(() => null)
    if (!found) return 'is missing in what was restored'
    if (node.type === 'dir') return found.isDirectory() ? null : 'is no folder any more'
    if (node.type === 'symlink') {
      if (!found.isSymbolicLink()) return 'is no link any more'
      await this.#rememberLink(node.path, place)
      return null
    }
    if (!found.isFile()) return 'is no file any more'
    if (found.size !== node.size) return `has ${found.size} bytes in place of ${node.size}`
    const deviation = await this.#contentDeviationOf(node.path, place)
    if (deviation === null && Math.abs(found.mtimeMs - Date.parse(node.mtime)) >= second) this.#otherTimes++
    return deviation
  }

  async #rememberLink(path: string, place: string): Promise<void> {
    const target = await readlink(place)
    // Windows writes targets in several ways.
    if (process.platform !== 'win32' && isPlain(path) && isPlain(target)) this.#links.set(path, target)
    else this.#uncomparedLinks++
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
