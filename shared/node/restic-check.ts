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

async function attempt(run: RunThere, { snapshotId, subset, files }: CheckWish): Promise<Found> {
  const opened = await run(['cat', 'config', '--no-lock'])
  if (opened.code !== 0) {
    const refusal = refusalOf(opened)
    if (wasEnded(opened) || unasked.includes(refusal)) throw new ResticRefused(opened)
    const kind = refusal === 'wrong-password' || /config or key|Unmarshal|<key\//.test(opened.stderr) ? 'key' : 'config'
    return { ...nothing, damage: [{ kind, id: null }], reason: new ResticRefused(opened).message }
  }
  const damage: Damage = await findDamage(run, subset)
  const isWhole = ![...damage.snapshots].some((id) => snapshotId.startsWith(id))
  const isThere = isWhole && (await isSnapshotThere(run, snapshotId))
  if (!isThere) damage.snapshots.add(snapshotId)
  if (damage.isNone) return { status: 'passed', filesVerified: files, filesFailed: 0 }
  return judge(await filesTouchedBy(run, damage, snapshotId), damage, { snapshotId, files, isThere })
}

const nothing = { status: 'failed', filesVerified: 0, filesFailed: 0 } as const

async function isSnapshotThere(run: RunThere, snapshotId: string): Promise<boolean> {
  let isListed = false
  const end = await run(['list', 'snapshots', '--no-lock'], {
    onText: (line) => {
      isListed ||= line.trim() === snapshotId
    },
  })
  if (end.code !== 0) throw new ResticRefused(end)
  return isListed
}

interface Judged {
  snapshotId: string
  files: number
  isThere: boolean
}

function judge(touched: Touched, damage: Damage, { snapshotId, files, isThere }: Judged): Found {
  const own = touched.get(snapshotId) ?? new Map<string, string>()
  const others = [...touched].flatMap(([id, paths]) => (id === snapshotId ? [] : { snapshotId: id, files: paths.size }))
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
    reason: reasonOf(damage, { isThere, own: own.size }),
  }
}

function reasonOf(damage: Damage, { isThere, own }: { isThere: boolean; own: number }): string {
  if (damage.isIndexDamaged) return 'The index of the repository is damaged'
  if (!isThere) return 'The snapshot is missing or damaged in the storage'
  if (own > 0) return 'Data in the storage is damaged or missing'
  return 'Data in the storage is damaged or missing, and no file of this snapshot was found to need it'
}
