import type { ResticEnd } from './restic-refusals.ts'
import { type Refusal, refusalOf, refusedBecause } from './restic-refusals.ts'
import type { ResticListeners } from './restic-run.ts'

/** Maintenance of a repository by the one that reaches it: the appliance, or the device whose folder it is. */

/** Runs restic once in the repository. */
export type RunThere = (args: readonly string[], listeners?: ResticListeners) => Promise<ResticEnd>

export interface MaintenanceWish {
  /** Ids of snapshots, 64 hex. Those that are not there count as forgotten. */
  forget: readonly string[]
  /** Whether to ask how much the repository holds then. */
  isMeasured: boolean
  /** The name of this computer, if no other one can work there: what others have locked may then go. */
  onlyHost: string | null
}

/** What restic said when it did nothing. */
export class ResticRefused extends Error {
  override name = 'ResticRefused'
  readonly end: ResticEnd
  readonly refusal: Refusal

  constructor(end: ResticEnd) {
    super(refusedBecause(end))
    this.end = end
    this.refusal = refusalOf(end)
  }
}

/** As many as fit on a command line everywhere. */
const idsAtOnce = 200
/** Of the data that nothing needs any more, so much may stay in packs that are used otherwise. */
export const maxUnused = '5%'

/** What a repository holds. */
export interface Measured {
  storedBytes: number
  /** The same data before it was compressed; null when restic does not say, as of a repository of its older format. */
  uncompressedBytes: number | null
}

/**
 * Takes the snapshots out of the repository, and then the data that only they had. Done again, it goes on. Answers what
 * the repository holds then; null when that was not asked, or not told.
 * @throws ResticRefused
 */
export async function maintainRepository(
  run: RunThere,
  { forget, isMeasured, onlyHost }: MaintenanceWish,
): Promise<Measured | null> {
  const repository = insisting(run, onlyHost)
  const wanted = new Set(forget)
  const leaving = (await snapshotsIn(repository)).flatMap(({ id }) => (wanted.has(id) ? id : []))
  for (let at = 0; at < leaving.length; at += idsAtOnce)
    await repository(['forget', ...leaving.slice(at, at + idsAtOnce)])
  await repository(['prune', '--max-unused', maxUnused])
  return isMeasured ? measure(repository) : null
}

/** A snapshot as it lies in a repository. */
export interface StoredSnapshot {
  /** 64 hex. */
  id: string
  /** Milliseconds since 1970, by the clock of the device. */
  time: number
  tags: string[]
}

/**
 * All snapshots of a repository.
 * @throws ResticRefused
 */
export async function snapshotsIn(run: RunThere): Promise<StoredSnapshot[]> {
  let found: StoredSnapshot[] | undefined
  const end = await run(['snapshots'], {
    onJson: (value) => {
      found ??= Array.isArray(value) ? value.map(snapshotIn) : undefined
    },
  })
  if (end.code !== 0) throw new ResticRefused(end)
  if (!found) throw new Error('restic did not list the snapshots')
  return found
}

/** Everything that is in use. */
export async function measure(run: RunThere): Promise<Measured | null> {
  let measured: Measured | null = null
  await run(['stats', '--mode', 'raw-data'], {
    onJson: (value) => {
      measured ??= measuredIn(value)
    },
  })
  return measured
}

function snapshotIn(value: unknown): StoredSnapshot {
  const { id, time, tags }: { id?: unknown; time?: unknown; tags?: unknown } = Object(value)
  if (typeof id !== 'string' || typeof time !== 'string') throw new Error('restic listed what is no snapshot')
  const all: unknown[] = Array.isArray(tags) ? tags : []
  return { id, time: Date.parse(time), tags: all.filter((tag) => typeof tag === 'string') }
}

function measuredIn(value: unknown): Measured | null {
  const { total_size, total_uncompressed_size }: { total_size?: unknown; total_uncompressed_size?: unknown } =
    Object(value)
  if (typeof total_size !== 'number') return null
  return {
    storedBytes: total_size,
    uncompressedBytes: typeof total_uncompressed_size === 'number' ? total_uncompressed_size : null,
  }
}

/**
 * Takes away locks that are in the way: those that killed runs have left, and those of other computers where none can be at
 * work. One of this computer is in use after that: a run may have outlived the program that began it.
 */
export function insisting(run: RunThere, onlyHost: string | null): RunThere {
  return async (args, listeners) => {
    const attempt = async (isLast: boolean) => {
      const end = await run(args, listeners)
      if (end.code === 0) return end
      const refused = new ResticRefused(end)
      if (isLast || refused.refusal !== 'locked') throw refused
      return null
    }
    const first = await attempt(false)
    if (first) return first
    await run(['unlock'])
    const second = await attempt(onlyHost === null)
    if (second) return second
    if ((await hostsWithLocks(run)).every((host) => host !== onlyHost)) await run(['unlock', '--remove-all'])
    return (await attempt(true)) as ResticEnd
  }
}

async function hostsWithLocks(run: RunThere): Promise<string[]> {
  const ids: string[] = []
  await run(['list', 'locks', '--no-lock'], { onText: (line) => ids.push(line) })
  const hosts: string[] = []
  for (const id of ids) {
    const lines: string[] = []
    await run(['cat', 'lock', id, '--no-lock'], { onText: (line) => lines.push(line) })
    hosts.push(hostIn(lines.join('')))
  }
  return hosts
}

/** Of a lock, which may be gone by now. */
function hostIn(text: string): string {
  const { hostname }: { hostname?: unknown } = text === '' ? {} : Object(JSON.parse(text))
  return typeof hostname === 'string' ? hostname : ''
}
