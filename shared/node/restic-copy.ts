import { createHash } from 'node:crypto'
import { CopyAbsent } from './copy-medium.ts'
import { insisting, maxUnused, measure, ResticRefused, type RunThere } from './restic-maintenance.ts'
import type { ResticRepository } from './restic-run.ts'

/** What is to come of a second copy. */
export interface CopyWish {
  /** It was never seen: it may be made. */
  isNew: boolean
  /** What restic called it when it was seen last. */
  resticId: string | null
  /** Ids of snapshots in the source, oldest first. */
  copy: string[]
  /** Ids in the copy of those that are to go. */
  forget: string[]
  /** How much of its data is read back and checked: one of several parts as `3/20`, `all`, or nothing. */
  readBack: string | null
}

/** What a second copy is afterwards. */
export interface CopyOutcome {
  resticId: string
  /** All snapshots in it; `original` is the id in the source, or the one it had there at first. */
  snapshots: { id: string; original: string; takenAt: string }[]
  /** Of those that were wanted: whether the copy has the same files. One that differs is no longer in it. */
  manifests: { snapshotId: string; isSame: boolean; files: number; bytes: number }[]
  storedBytes: number | null
  /** Whether what was to be read back was read. */
  wasRead: boolean
  /** What is wrong with the data that was read back; null when nothing is, or nothing was read. */
  damage: string | null
}

/** A second copy of a repository, brought up to date by the one that reaches both. Done again, it goes on. */
export interface CopyRuns {
  source: RunThere
  /** Restic in the copy. */
  copy: RunThere
  /** Restic in the copy, told where the source is. */
  both: RunThere
  /** Where to tidy up what a killed run has left that made the copy; left out where nobody can. */
  removeHalfMade?: () => Promise<void>
}

export type CopyProgress = { done: number; total: number; percent: number | null }

/** A snapshot, with the id of the one that it is a copy of, or a copy of a copy. */
export interface ListedSnapshot {
  id: string
  original: string
  time: number
}

/**
 * @throws CopyAbsent, ResticRefused
 */
export async function bringUpToDate(
  runs: CopyRuns,
  wish: CopyWish,
  onProgress: (progress: CopyProgress) => void,
): Promise<CopyOutcome> {
  const resticId = await openOrMake(runs, wish)
  const [source, copy, both] = [runs.source, runs.copy, runs.both].map((run) => insisting(run, null)) as [
    RunThere,
    RunThere,
    RunThere,
  ]
  const wanted = await wantedIn(source, wish.copy)
  const missing = await missingIn(copy, wanted)
  for (const [at, snapshot] of missing.entries()) {
    onProgress({ done: at, total: missing.length, percent: null })
    await both(['copy', snapshot.id], {
      onText: (line) => {
        const percent = percentIn(line)
        if (percent !== null) onProgress({ done: at, total: missing.length, percent })
      },
    })
  }
  onProgress({ done: missing.length, total: missing.length, percent: null })
  const { manifests, differing } = await compareAll(source, copy, wanted)
  await forget(copy, [...wish.forget, ...differing])
  // What was put back in the source has another id there than when it was copied.
  const idInSource = new Map(wanted.map(({ id, original }) => [original, id]))
  return {
    resticId,
    snapshots: (await listed(copy)).map(({ id, original, time }) => ({
      id,
      original: idInSource.get(original) ?? original,
      takenAt: asInstant(time),
    })),
    manifests,
    storedBytes: (await measure(copy))?.storedBytes ?? null,
    ...(wish.readBack === null ? unread : await damageIn(runs.copy, wish.readBack)),
  }
}

/** What restic calls the copy. */
async function openOrMake({ copy, both, removeHalfMade }: CopyRuns, { isNew, resticId }: CopyWish): Promise<string> {
  let id = await idOf(copy)
  if (id === null) {
    if (!isNew) throw new CopyAbsent('The second copy is not there. Is its disk or share connected?')
    await removeHalfMade?.()
    const end = await both(['init', '--copy-chunker-params'])
    if (end.code !== 0) throw new ResticRefused(end)
    id = await idOf(copy)
  }
  if (id === null) throw new Error('restic did not make the second copy')
  if (resticId !== null && id !== resticId) throw new CopyAbsent('Another disk or share is connected in its place')
  return id
}

/** Null when there is no repository. */
async function idOf(run: RunThere): Promise<string | null> {
  let text = ''
  const end = await run(['cat', 'config', '--no-lock'], {
    onText: (line) => {
      text += line
    },
    onJson: (value) => {
      text = JSON.stringify(value)
    },
  })
  if (end.code !== 0) {
    const refused = new ResticRefused(end)
    if (refused.refusal === 'no-repository') return null
    throw refused
  }
  const { id }: { id?: unknown } = Object(JSON.parse(text))
  if (typeof id !== 'string') throw new Error('restic did not say which repository that is')
  return id
}

/** Those of the source that are wanted and there, in the order in which they are wanted. */
async function wantedIn(source: RunThere, wanted: readonly string[]): Promise<ListedSnapshot[]> {
  if (wanted.length === 0) return []
  const inSource = new Map((await listed(source)).map((one) => [one.id, one]))
  return wanted.flatMap((id) => inSource.get(id) ?? [])
}

async function missingIn(copy: RunThere, wanted: readonly ListedSnapshot[]): Promise<ListedSnapshot[]> {
  if (wanted.length === 0) return []
  const there = new Set((await listed(copy)).map(({ original }) => original))
  return wanted.filter(({ original }) => !there.has(original))
}

/** All snapshots of a repository; the run has to insist on an answer. */
export async function listed(run: RunThere): Promise<ListedSnapshot[]> {
  let found: ListedSnapshot[] | undefined
  await run(['snapshots'], {
    onJson: (value) => {
      found ??= Array.isArray(value) ? value.map(listedIn) : undefined
    },
  })
  if (!found) throw new Error('restic did not list the snapshots')
  return found
}

function listedIn(value: unknown): ListedSnapshot {
  const { id, original, time }: { id?: unknown; original?: unknown; time?: unknown } = Object(value)
  if (typeof id !== 'string' || typeof time !== 'string') throw new Error('restic listed what is no snapshot')
  return { id, original: typeof original === 'string' ? original : id, time: Date.parse(time) }
}

const asInstant = (ms: number): string => new Date(ms).toISOString()

const percentIn = (line: string): number | null => {
  const found = /(\d+(?:\.\d+)?)%/.exec(line)?.[1]
  return found === undefined ? null : Math.min(100, Number(found))
}

/** Of all that are wanted, since one that was there already may never have been compared. */
async function compareAll(source: RunThere, copy: RunThere, wanted: readonly ListedSnapshot[]) {
  const manifests: CopyOutcome['manifests'] = []
  const differing: string[] = []
  const made = wanted.length === 0 ? [] : await listed(copy)
  for (const { id, original } of wanted) {
    const copied = made.find((one) => one.original === original)
    if (!copied) throw new Error('restic did not copy a snapshot')
    const manifest = await compare(source, id, copy, copied.id)
    manifests.push({ snapshotId: id, ...manifest })
    if (!manifest.isSame) differing.push(copied.id)
  }
  return { manifests, differing }
}

/** Whether both have the same files, by path, kind and size. */
async function compare(source: RunThere, sourceId: string, copy: RunThere, copyId: string) {
  const [one, other] = [await manifestOf(source, sourceId), await manifestOf(copy, copyId)]
  const isSame = one.nodes > 0 && one.nodes === other.nodes && one.digest === other.digest
  return { isSame, files: other.files, bytes: other.bytes }
}

async function manifestOf(run: RunThere, id: string) {
  const hash = createHash('sha256')
  const counts = { nodes: 0, files: 0, bytes: 0 }
  await run(['ls', id], {
    onJson: (value) => {
      const { struct_type: kind, path, type, size }: Record<string, unknown> = Object(value)
      if (kind !== 'node') return
      hash.update(JSON.stringify([path, type, size ?? null]))
      counts.nodes++
      if (type !== 'file') return
      counts.files++
      counts.bytes += typeof size === 'number' ? size : 0
    },
  })
  return { ...counts, digest: hash.digest('hex') }
}

const idsAtOnce = 200

/** Takes copies out, with the data that only they have. */
async function forget(copy: RunThere, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const wanted = new Set(ids)
  const leaving = (await listed(copy)).flatMap(({ id }) => (wanted.has(id) ? id : []))
  if (leaving.length === 0) return
  for (let at = 0; at < leaving.length; at += idsAtOnce) await copy(['forget', ...leaving.slice(at, at + idsAtOnce)])
  await copy(['prune', '--max-unused', maxUnused])
}

type ReadBack = Pick<CopyOutcome, 'wasRead' | 'damage'>

const unread: ReadBack = { wasRead: false, damage: null }

/** What the data that is read back shows to be wrong, in restic’s words. */
async function damageIn(copy: RunThere, part: string): Promise<ReadBack> {
  // A disk that was pulled out has locks that nobody could remove.
  await copy(['unlock'])
  const end = await copy(['check', part === 'all' ? '--read-data' : `--read-data-subset=${part}`])
  if (end.code === 0) return { wasRead: true, damage: null }
  const refused = new ResticRefused(end)
  // Somebody is at work there: another time.
  if (refused.refusal === 'locked') return unread
  if (refused.refusal !== 'other') throw refused
  // Unplugged in the middle, nothing of it is damaged.
  if ((await idOf(copy)) === null) throw new CopyAbsent('The second copy is not there any more')
  return { wasRead: true, damage: refused.message }
}

/** Restic in the copy, told where the source is and what opens it. */
export const copyingFrom = (source: ResticRepository, copy: ResticRepository): ResticRepository => ({
  ...copy,
  env: {
    ...source.env,
    ...copy.env,
    RESTIC_FROM_REPOSITORY_FILE: '{sourceRepository}',
    RESTIC_FROM_PASSWORD_FILE: '{sourcePassword}',
  },
  options: [...source.options, ...copy.options],
  files: { ...source.files, ...copy.files, sourceRepository: source.url, sourcePassword: source.password },
})
