import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { insisting, ResticRefused, type RunThere, snapshotsIn } from '../../../shared/node/restic-maintenance.ts'

/** A repository in a folder of the appliance, and its second copy. */
interface RepairRuns {
  repository: RunThere
  copy: RunThere
  /** Restic in the repository, told where the copy is. */
  back: RunThere
  folder: string
  /** For what is damaged, and for what has to be out of the way meanwhile; on the same disk. */
  aside: string
  /** The name of this computer: nobody else can work in the repository. */
  onlyHost: string
}

export interface RepairOutcome {
  /** Pieces of the repository that were damaged or missing. */
  damaged: number
  /** Snapshots that the copy has as well. */
  snapshots: number
  /** Why something is still damaged; null when all of it can be read. */
  left: string | null
}

/** By the id in the copy, which of the repository it is. */
type Pairs = ReadonlyMap<string, string>

/**
 * Puts back what is damaged or missing in a repository, as far as the second copy has it. Snapshots keep their ids. Done
 * again, it goes on; whatever it is cut off in, nothing is gone that could be read before.
 * @throws ResticRefused
 */
export async function repairRepository(runs: RepairRuns, pairs: Pairs): Promise<RepairOutcome> {
  const { repository, folder, aside, onlyHost } = runs
  const run = insisting(repository, onlyHost)
  await putBack(join(aside, 'snapshots'), join(folder, 'snapshots'))
  const found = await read(repository)
  if (found === null) return { damaged: 0, snapshots: 0, left: null }
  // Nothing is touched unless there is something to put in its place.
  await insisting(runs.copy, null)(['cat', 'config'])
  const damaged = await setAside(found, folder, join(aside, 'data'))
  await run(['rebuild-index'])
  const there = new Set((await snapshotsIn(run)).map(({ id }) => id))
  let snapshots = 0
  for (const [copyId, id] of pairs) {
    if (!there.has(id)) continue
    await copyBack(runs, copyId, id, there)
    snapshots++
  }
  return { damaged, snapshots, left: await read(repository) }
}

/** What restic says is wrong when it reads everything; null when nothing is. */
async function read(repository: RunThere): Promise<string | null> {
  const lines: string[] = []
  const onText = (line: string) => void lines.push(line)
  const end = await repository(['check', '--read-data'], { onText, onComplaint: onText })
  if (end.code === 0) return null
  const refused = new ResticRefused(end)
  if (refused.refusal !== 'other') throw refused
  return lines.join('\n')
}

/** Moves damaged pieces away, so that restic knows that they are missing. Answers how many there are. */
async function setAside(said: string, folder: string, aside: string): Promise<number> {
  // Restic names them by their beginning.
  const named = new Set((said.match(/\b[0-9a-f]{8,64}\b/g) ?? []).map((id) => id.slice(0, shortId)))
  await mkdir(aside, { recursive: true, mode: 0o700 })
  let moved = 0
  for (const prefix of await readdir(join(folder, 'data')))
    for (const name of await readdir(join(folder, 'data', prefix))) {
      const file = join(folder, 'data', prefix, name)
      if (!named.has(name.slice(0, shortId)) || (await sha256Of(file)) === name) continue
      await rename(file, join(aside, name))
      moved++
    }
  return moved
}

const shortId = 8

/** A piece is named by what is in it. */
async function sha256Of(file: string): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(file), hash)
  } catch {
    return null
  }
  return hash.digest('hex')
}

/**
 * Brings what a snapshot lacks. Restic leaves out a snapshot that is there already, so its file is out of the way meanwhile;
 * what restic makes in its place is removed again.
 */
async function copyBack(runs: RepairRuns, copyId: string, id: string, before: ReadonlySet<string>): Promise<void> {
  const { repository, back, folder, aside, onlyHost } = runs
  const [own, out] = [join(folder, 'snapshots'), join(aside, 'snapshots')]
  await mkdir(out, { recursive: true, mode: 0o700 })
  await rename(join(own, id), join(out, id))
  try {
    await insisting(back, onlyHost)(['copy', copyId])
  } finally {
    await putBack(out, own)
  }
  const run = insisting(repository, onlyHost)
  const made = (await snapshotsIn(run)).flatMap((one) => (before.has(one.id) ? [] : one.id))
  if (made.length > 0) await run(['forget', ...made])
}

async function putBack(from: string, to: string): Promise<void> {
  for (const name of await readdir(from).catch(() => [])) await rename(join(from, name), join(to, name))
  await rm(from, { recursive: true, force: true })
}
