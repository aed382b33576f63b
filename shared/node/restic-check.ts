import { type Damage, findDamage, type RepositoryDamage, wasEnded } from './restic-damage.ts'
import { countEntries, type Entries } from './restic-entries.ts'
import { ResticRefused, type RunThere } from './restic-maintenance.ts'
import { type Refusal, refusalOf } from './restic-refusals.ts'
import { filesTouchedBy, type Touched } from './restic-touched-files.ts'

/** A check of a repository by the one that reaches it: the appliance, or the device. */

export interface CheckWish {
  /** 64 hex. */
  snapshotId: string
  /** How much of the data is read, as `check --read-data-subset` takes it; null for all. */
  subset: string | null
  /** In the snapshot, as its backup counted them: so many are lost when it is. */
  files: number
  /** Ids of snapshots that should be there; left out where nobody knows. */
  listed?: readonly string[]
}

/** What is kept of what was found, as a device says it, too. */
export interface CheckOutcome {
  status: 'passed' | 'failed' | 'partial'
  /** Those in the snapshot as it lies in the storage, without those that are damaged. */
  filesVerified: number
  filesFailed: number
  durationMs: number
  failedFiles?: { path: string; error: string }[]
  otherSnapshots?: { snapshotId: string; files: number }[]
  damage?: RepositoryDamage[]
  /** Of a snapshot that passed: what it has. */
  entries?: Entries
  reason?: string
}
type Found = Omit<CheckOutcome, 'durationMs'>

/** The storage could not be asked, which says nothing about what is in it. */
const unasked: readonly Refusal[] = ['locked', 'not-admitted', 'unreachable', 'full', 'read-only']

const keptFiles = 1000
const keptOthers = 100

/**
 * Reads the data of a repository and says what of the snapshot can still be brought back. Backups can go on meanwhile:
 * restic looks for snapshots before it reads the index.
 * @throws ResticRefused when the storage could not be asked
 */
export async function checkSnapshot(run: RunThere, wish: CheckWish): Promise<CheckOutcome> {
  const begun = performance.now()
  const outcome = await attempt(run, wish)
  return { ...outcome, durationMs: Math.round(performance.now() - begun) }
}

async function attempt(run: RunThere, { snapshotId, subset, files, listed = [] }: CheckWish): Promise<Found> {
  const opened = await run(['cat', 'config', '--no-lock'])
  if (opened.code !== 0) {
    const refusal = refusalOf(opened)
    if (wasEnded(opened) || unasked.includes(refusal)) throw new ResticRefused(opened)
    const kind = refusal === 'wrong-password' || /config or key|Unmarshal|<key\//.test(opened.stderr) ? 'key' : 'config'
    return { ...nothing, damage: [{ kind, id: null }], reason: new ResticRefused(opened).message }
  }
  const damage: Damage = await findDamage(run, subset)
  const isWhole = ![...damage.snapshots].some((id) => snapshotId.startsWith(id))
  const there = await snapshotsThere(run)
  const isThere = isWhole && there.has(snapshotId)
  if (!isThere) damage.snapshots.add(snapshotId)
  // restic misses none that is gone: nothing in the repository refers to it.
  const gone = listed.filter((id) => !there.has(id) && id !== snapshotId)
  for (const id of gone) damage.snapshots.add(id)
  const isReadable = isThere && !damage.isIndexDamaged
  const { entries, isListed } = isReadable ? await list(run, snapshotId, damage) : unlisted
  if (damage.isNone && isListed) return { status: 'passed', filesVerified: entries.files, filesFailed: 0, entries }
  if (damage.isNone) damage.isOther = true
  const judged = { snapshotId, files, counted: entries.files, isThere, isListed, gone }
  return judge(await filesTouchedBy(run, damage, snapshotId), damage, judged)
}

/** What is in the snapshot, and whether it could be listed to its end. */
async function list(
  run: RunThere,
  snapshotId: string,
  damage: Damage,
): Promise<{ entries: Entries; isListed: boolean }> {
  const { entries, end } = await countEntries(run, snapshotId)
  const isListed = end.code === 0
  if (wasEnded(end) || (damage.isNone && !isListed && unasked.includes(refusalOf(end)))) throw new ResticRefused(end)
  return { entries, isListed }
}

const unlisted = { entries: { files: 0, all: 0, unclear: 0 }, isListed: false }

const nothing = { status: 'failed', filesVerified: 0, filesFailed: 0 } as const

async function snapshotsThere(run: RunThere): Promise<Set<string>> {
  const ids = new Set<string>()
  const end = await run(['list', 'snapshots', '--no-lock'], { onText: (line) => ids.add(line.trim()) })
  if (end.code !== 0) throw new ResticRefused(end)
  return ids
}

interface Judged {
  snapshotId: string
  files: number
  /** Of them, those that could be listed. */
  counted: number
  isThere: boolean
  isListed: boolean
  /** Of the others, those that are not there at all. */
  gone: readonly string[]
}

function judge(touched: Touched, damage: Damage, judged: Judged): Found {
  const { snapshotId, files, counted, isThere, isListed, gone } = judged
  const own = touched.get(snapshotId) ?? new Map<string, string>()
  const others = [
    ...gone.map((id) => ({ snapshotId: id, files: 0 })),
    ...[...touched].flatMap(([id, paths]) => (id === snapshotId ? [] : { snapshotId: id, files: paths.size })),
  ]
  const isLost = !isThere || damage.isIndexDamaged || own.has('/')
  const failed = isLost ? files : own.size
  return {
    // What does not touch the snapshot is damage all the same: somebody has to look.
    status: isLost || !isListed || own.size > 0 ? 'failed' : 'partial',
    filesVerified: isLost ? 0 : Math.max(0, counted - failed),
    filesFailed: failed,
    failedFiles: [...own].slice(0, keptFiles).map(([path, error]) => ({ path, error })),
    ...(others.length > 0 && { otherSnapshots: others.slice(0, keptOthers) }),
    damage: damage.list.slice(0, keptOthers),
    reason: reasonOf(damage, { isThere, isListed, own: own.size, isOnlyGone: gone.length === damage.list.length }),
  }
}

interface Reasons extends Pick<Judged, 'isThere' | 'isListed'> {
  own: number
  isOnlyGone: boolean
}

function reasonOf(damage: Damage, of: Reasons): string {
  const { isThere, isListed, own, isOnlyGone } = of
  if (damage.isIndexDamaged) return 'The index of the repository is damaged'
  if (!isThere) return 'The snapshot is missing or damaged in the storage'
  if (own > 0) return 'Data in the storage is damaged or missing'
  if (!isListed) return 'Which files the snapshot has cannot be read to the end'
  if (isOnlyGone) return 'Other snapshots are missing in the storage'
  return 'Data in the storage is damaged or missing, and no file of this snapshot was found to need it'
}
