import { lstat, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { RestoreOutcome, RestorePayload } from '../../shared/device/backup.ts'
import { refusedBecause } from '../../shared/node/restic-refusals.ts'
import { reasonOf } from '../failure.ts'
import { literalPattern } from './patterns.ts'
import { type PlacedCounts, putInPlace } from './put-in-place.ts'
import { type ResticSettings, runRestic, unlockAfterStop } from './restic-run.ts'
import { restoreComplaints } from './restore-complaints.ts'
import { batches, pathInSnapshot, piecesOf, type RestorePiece } from './restore-plan.ts'
import { freeBytesAt, makeStaging, removeStaging } from './staging.ts'
import { assertNoForeignLinks } from './trusted-way.ts'

export interface RestoreProgress {
  phase: 'preparing' | 'restoring' | 'finishing'
  current: number
  total: number
  filesDone?: number
  filesTotal?: number
}

export interface RestoreRun {
  settings: ResticSettings
  payload: RestorePayload
  /** Where restores go that name no folder; each gets one of its own in it. */
  stagingFolder: string
  /** Where the agent notes what it has to clear away. */
  notesFolder: string
  signal: AbortSignal
  onProgress: (progress: RestoreProgress) => void
}

interface Failed {
  path: string
  error: string
}

const snapshots = z.array(z.object({ id: z.string(), paths: z.array(z.string()) }))
const status = z.object({
  message_type: z.literal('status'),
  files_restored: z.number().default(0),
  bytes_restored: z.number().default(0),
})
const keptNames = 1000
/** The disk is not filled to the last byte. */
const leftFreeBytes = 64 * 1024 * 1024

/** Restores with restic, puts the files where they belong, and says of each that was not restored why. */
export async function restore(run: RestoreRun): Promise<RestoreOutcome> {
  const begun = performance.now()
  const work = new Restoring(run)
  try {
    await work.go()
  } catch (error) {
    if (!run.signal.aborted) work.fail(reasonOf(error))
  } finally {
    if (run.signal.aborted) await unlockAfterStop(run.settings, run.payload.engine)
  }
  return work.outcome(performance.now() - begun)
}

class Restoring {
  readonly #run: RestoreRun
  readonly #failed: Failed[] = []
  #failedCount = 0
  readonly #renamed: { path: string; as: string }[] = []
  readonly #counts: PlacedCounts = { restored: 0, bytes: 0, kept: 0, renamed: 0 }
  #error: string | undefined

  constructor(run: RestoreRun) {
    this.#run = run
  }

  get #ownFolder(): string {
    return join(this.#run.stagingFolder, this.#run.payload.restoreJobId)
  }

  fail(error: string): void {
    this.#error ??= error
  }

  async go(): Promise<void> {
    const { payload, onProgress } = this.#run
    onProgress({ phase: 'preparing', current: 0, total: payload.expected?.bytes ?? 0 })
    const sources = await this.#sources()
    if (sources === null) return
    const pieces = piecesOf(payload, sources.map(pathInSnapshot), this.#ownFolder)
    for (const group of await byDisk(pieces)) {
      await this.#restoreGroup(group)
      if (this.#run.signal.aborted) return
    }
  }

  outcome(durationMs: number): RestoreOutcome {
    const { payload, signal } = this.#run
    const { restored, bytes, kept, renamed } = this.#counts
    const done = restored + kept
    const missing = Math.max(0, (payload.expected?.files ?? 0) - done - this.#failedCount)
    const isWhole = this.#error === undefined && this.#failedCount === 0 && missing === 0
    const isNothing = done === 0 && payload.expected?.files !== 0
    const error = this.#error ?? (isNothing ? 'Nothing was restored' : undefined)
    const warnings =
      missing > 0 ? [`${missing} of the expected files were not in the snapshot or could not be read`] : []
    return {
      status: signal.aborted ? 'stopped' : isNothing ? 'failed' : isWhole ? 'completed' : 'partial',
      snapshotId: payload.snapshotId,
      filesRestored: restored,
      bytesRestored: bytes,
      filesKept: kept,
      filesRenamed: renamed,
      renamedFiles: this.#renamed,
      filesFailed: this.#failedCount + missing,
      failedFiles: this.#failed,
      ...(payload.target.to === 'staging' && done > 0 && { stagingDir: this.#ownFolder }),
      durationMs: Math.round(durationMs),
      ...(warnings.length > 0 && { warnings }),
      ...(error !== undefined && { error }),
    }
  }

  /** The folders that were backed up; null when there is no such snapshot, or no way to it. */
  async #sources(): Promise<string[] | null> {
    const { settings, payload, signal } = this.#run
    let found: z.output<typeof snapshots>[number] | undefined
    const onJson = (value: unknown) => {
      found ??= snapshots.safeParse(value).data?.find(({ id }) => id === payload.snapshotId)
    }
    const end = await runRestic(settings, payload.engine, ['snapshots', payload.snapshotId], signal, { onJson })
    if (found) return found.paths
    this.fail(end.code === 0 ? 'The snapshot is not in the repository' : refusedBecause(end))
    return null
  }

  async #restoreGroup(pieces: readonly RestorePiece[]): Promise<void> {
    const { payload, notesFolder, signal } = this.#run
    const [first] = pieces
    if (!first) return
    const isOriginal = payload.target.to === 'original'
    const target = isOriginal ? dirname(first.to) : first.to
    // A link in place of what was there is seen when its turn comes.
    for (const { to } of pieces) await assertNoForeignLinks(isOriginal || payload.paths.length > 0 ? dirname(to) : to)
    const bytes = payload.expected?.bytes ?? 0
    if ((await freeBytesAt(target)) < bytes + leftFreeBytes) return this.fail('There is not enough free space there')
    const staging = await makeStaging(notesFolder, payload.restoreJobId, target)
    try {
      await this.#runRestic(pieces, staging)
      if (!signal.aborted) await this.#place(pieces, staging)
    } finally {
      await removeStaging(notesFolder, payload.restoreJobId, staging)
    }
  }

  async #runRestic(pieces: readonly RestorePiece[], staging: string): Promise<void> {
    const { settings, payload, signal, onProgress } = this.#run
    const { files, bytes } = payload.expected ?? { files: 0, bytes: 0 }
    // Older versions of restic say nothing while they restore.
    onProgress({ phase: 'restoring', current: 0, total: bytes })
    const complaints = restoreComplaints(staging, (path, error) => this.#failFile(path, error, staging))
    const onJson = (value: unknown) => {
      const said = status.safeParse(value).data
      if (said)
        onProgress({
          phase: 'restoring',
          current: said.bytes_restored,
          total: bytes,
          filesDone: said.files_restored,
          filesTotal: files,
        })
      complaints.onJson(value)
    }
    const { onComplaint } = complaints
    const all = pieces.some(({ path }) => path === '/')
    const includes = all ? [[]] : batches(pieces.map(({ path }) => literalPattern(path)))
    for (const some of includes) {
      const args = ['restore', payload.snapshotId, '--target', staging, '--verify']
      const included = some.flatMap((pattern) => ['--include', pattern])
      const end = await runRestic(settings, payload.engine, [...args, ...included], signal, { onJson, onComplaint })
      if (signal.aborted) return
      // Files that it could not restore are known by name; anything else is about all of them.
      if (end.code !== 0 && this.#failedCount === 0) this.fail(refusedBecause(end))
    }
  }

  async #place(pieces: readonly RestorePiece[], staging: string): Promise<void> {
    const { payload, signal, onProgress } = this.#run
    onProgress({ phase: 'finishing', current: payload.expected?.bytes ?? 0, total: payload.expected?.bytes ?? 0 })
    const damaged = new Set(this.#failed.map(({ path }) => join(staging, path)))
    for (const { path, to } of pieces) {
      const from = join(staging, path)
      if (!(await isThere(from))) continue
      await putInPlace(from, to, {
        existing: payload.existing,
        mark: `restored ${new Date().toISOString().slice(0, 10)}`,
        counts: this.#counts,
        onFailure: (where, error) => this.#failFile(where, reasonOf(error), staging),
        onRenamed: (where, as) => {
          if (this.#renamed.length < keptNames) this.#renamed.push({ path: where, as })
        },
        isDamaged: (file) => damaged.has(file),
        signal,
      })
    }
  }

  #failFile(path: string, error: string, staging: string): void {
    const plain = path.startsWith(staging) ? path.slice(staging.length) : path
    if (this.#failed.some((one) => one.path === plain)) return
    this.#failedCount++
    if (this.#failed.length < keptNames) this.#failed.push({ path: plain, error })
  }
}

/** Together what goes to the same disk, for restic runs once for each. */
async function byDisk(pieces: readonly RestorePiece[]): Promise<RestorePiece[][]> {
  const groups = new Map<number, RestorePiece[]>()
  for (const piece of pieces) {
    const disk = await diskOf(piece.to)
    const group = groups.get(disk)
    if (group) group.push(piece)
    else groups.set(disk, [piece])
  }
  return [...groups.values()]
}

async function diskOf(path: string): Promise<number> {
  const parent = dirname(path)
  const found = await stat(parent).catch(() => null)
  return found || parent === path ? (found?.dev ?? 0) : diskOf(parent)
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
