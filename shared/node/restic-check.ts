import { type Damage, findDamage, type RepositoryDamage, wasEnded } from './restic-damage.ts'
import { ResticRefused, type RunThere } from './restic-maintenance.ts'
import { type Refusal, refusalOf } from './restic-refusals.ts'
import { filesTouchedBy, type Touched } from './restic-touched-files.ts'

/** A check of a repository by the one that reaches it: the appliance, or the device. */

export interface CheckWish {
  /** 64 hex. */
  snapshotId: string
  /** How much of the data is read, as `check --read-data-subset` takes it; null for all. */
  subset: string | null
  /** In the snapshot, as its backup counted them. */
  files: number
  /** Ids of snapshots that should be there; left out where nobody knows. */
  listed?: readonly string[]
}

/** What is kept of what was found, as a device says it, too. */
export interface CheckOutcome {
  status: 'passed' | 'failed' | 'partial'
  filesVerified: number
  filesFailed: number
  durationMs: number
  failedFiles?: { path: string; error: string }[]
  otherSnapshots?: { snapshotId: string; files: number }[]
  damage?: RepositoryDamage[]
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
  if (damage.isNone) return { status: 'passed', filesVerified: files, filesFailed: 0 }
  return judge(await filesTouchedBy(run, damage, snapshotId), damage, { snapshotId, files, isThere, gone })
}

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
  isThere: boolean
  /** Of the others, those that are not there at all. */
  gone: readonly string[]
}

function judge(touched: Touched, damage: Damage, { snapshotId, files, isThere, gone }: Judged): Found {
  const own = touched.get(snapshotId) ?? new Map<string, string>()
  const others = [
    ...gone.map((id) => ({ snapshotId: id, files: 0 })),
    ...[...touched].flatMap(([id, paths]) => (id === snapshotId ? [] : { snapshotId: id, files: paths.size })),
  ]
  const isLost = !isThere || damage.isIndexDamaged || own.has('/')
  const failed = isLost ? files : own.size
  return {
    // What does not touch the snapshot is damage all the same: somebody has to look.
    status: isLost || own.size > 0 ? 'failed' : 'partial',
    filesVerified: Math.max(0, files - failed),
    filesFailed: failed,
    failedFiles: [...own].slice(0, keptFiles).map(([path, error]) => ({ path, error })),
    ...(others.length > 0 && { otherSnapshots: others.slice(0, keptOthers) }),
    damage: damage.list.slice(0, keptOthers),
    reason: reasonOf(damage, { isThere, own: own.size, isOnlyGone: gone.length === damage.list.length }),
  }
}

function reasonOf(damage: Damage, of: { isThere: boolean; own: number; isOnlyGone: boolean }): string {
  const { isThere, own, isOnlyGone } = of
  if (damage.isIndexDamaged) return 'The index of the repository is damaged'
  if (!isThere) return 'The snapshot is missing or damaged in the storage'
  if (own > 0) return 'Data in the storage is damaged or missing'
  if (isOnlyGone) return 'Other snapshots are missing in the storage'
  return 'Data in the storage is damaged or missing, and no file of this snapshot was found to need it'
}
