import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type ListedSnapshot, listed } from '../../../shared/node/restic-copy.ts'
import { insisting, ResticRefused, type RunThere } from '../../../shared/node/restic-maintenance.ts'
import { refusalOf } from '../../../shared/node/restic-refusals.ts'

/** A repository in a folder of the appliance, and its second copy. */
interface RepairRuns {
  repository: RunThere
  copy: RunThere
  /** Restic in the repository, told where the copy is. */
  back: RunThere
  folder: string
  /** For what is damaged, and for what has to be out of the way meanwhile; on the same disk. Gone once all can be read. */
  aside: string
  /** The name of this computer: nobody else can work in the repository. */
  onlyHost: string
}

interface RepairWish {
  /** By the id in the copy, which snapshot of the repository it is. */
  pairs: ReadonlyMap<string, string>
  /** Ids of the snapshots that the repository should have. */
  wanted: ReadonlySet<string>
}

export interface RepairOutcome {
  /** Pieces and snapshots of the repository that were damaged or missing. */
  damaged: number
  /** Snapshots that the copy has as well. */
  snapshots: number
  /** What snapshots are called now whose own files were lost: restic names them by what is in the file. */
  renamed: Map<string, string>
  /** Why something is still damaged; null when all of it can be read. */
  left: string | null
}

/**
 * Puts back what is damaged or missing in a repository, as far as the second copy has it; one that nothing opens any more is
 * made anew from it. Snapshots keep their ids, unless their own files are lost. Done again, it goes on; whatever it is cut off in, nothing is gone that could be read before.
 * @throws ResticRefused
 */
export async function repairRepository(runs: RepairRuns, { pairs, wanted }: RepairWish): Promise<RepairOutcome> {
  const { repository, folder, aside, onlyHost } = runs
  const run = insisting(repository, onlyHost)
  const idsThere = async () => new Set((await listed(run)).map(({ id }) => id))
  if (await isLost(repository, folder)) await makeAnew(runs)
  else await putBack(join(aside, 'snapshots'), join(folder, 'snapshots'))
  const found = await read(repository)
  if (found === null && has(await idsThere(), wanted)) {
    await clear(aside)
    return { damaged: 0, snapshots: 0, renamed: new Map(), left: null }
  }
  // Nothing is touched unless there is something to put in its place.
  const inCopy = new Map((await listed(insisting(runs.copy, null))).map((one) => [one.id, one]))
  await setAsideSnapshots(folder, join(aside, 'damaged snapshots'))
  const pieces = await setAsidePieces(found ?? '', folder, join(aside, 'data'))
  await run(['rebuild-index'])
  const there = await idsThere()
  const known = new Set([...wanted, ...pairs.values()])
  const renamed = new Map<string, string>()
  let snapshots = 0
  for (const [copyId, id] of pairs) {
    const copy = inCopy.get(copyId)
    const isThere = there.has(id)
    // One that has expired and is gone is not to come back.
    if (!copy || !(isThere || wanted.has(id))) continue
    const newId = await copyBack(runs, copy, { id, isThere, known })
    if (newId !== id) renamed.set(id, newId)
    snapshots++
  }
  const isWhole = has(await idsThere(), new Set([...wanted].map((id) => renamed.get(id) ?? id)))
  const left = (await read(repository)) ?? (isWhole ? null : 'Snapshots are missing')
  if (left === null) await clear(aside)
  return { damaged: pieces + [...wanted].filter((id) => !there.has(id)).length, snapshots, renamed, left }
}

/** Nobody needs what is damaged once all of it is there again and was read. */
const clear = (aside: string) => rm(aside, { recursive: true, force: true })

/** Whether nothing opens it any more, because its configuration or all of its keys are damaged or gone. */
async function isLost(repository: RunThere, folder: string): Promise<boolean> {
  const end = await repository(['cat', 'config', '--no-lock'])
  if (end.code === 0) return false
  if (refusalOf(end) === 'no-repository') return true
  const keys = join(folder, 'keys')
  const intact = await Promise.all(
    (await namesIn(keys)).map(async (name) => (await sha256Of(join(keys, name))) === name),
  )
  if (!intact.includes(true)) return true
  return (await stat(join(folder, 'config'))).size === 0 || /config or key \S+ is damaged/.test(end.stderr)
}

/** Of the same kind as the copy, so that pieces are cut alike. What is left of the former one is kept. */
async function makeAnew({ copy, back, folder, aside }: RepairRuns): Promise<void> {
  await insisting(copy, null)(['cat', 'config'])
  await mkdir(aside, { recursive: true, mode: 0o700 })
  await rename(folder, join(aside, `repository ${randomUUID()}`)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await insisting(back, null)(['init', '--copy-chunker-params'])
}

const has = (there: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean =>
  [...wanted].every((id) => there.has(id))

/** What restic says is wrong when it reads everything; null when nothing is. */
async function read(repository: RunThere): Promise<string | null> {
  const lines: string[] = []
  const onText = (line: string) => void lines.push(line)
  // Newer versions say it as JSON.
  const onJson = (value: unknown) => void lines.push(JSON.stringify(value))
  const end = await repository(['check', '--read-data'], { onText, onJson, onComplaint: onText })
  if (end.code === 0) return null
  const refused = new ResticRefused(end)
  if (refused.refusal !== 'other') throw refused
  return lines.join('\n')
}

/** Moves damaged snapshots away: restic tidies up no repository with one. */
async function setAsideSnapshots(folder: string, aside: string): Promise<void> {
  const own = join(folder, 'snapshots')
  for (const name of await namesIn(own)) await setAside(join(own, name), name, aside)
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

/** Moves damaged pieces away, so that restic knows that they are missing. Answers how many there are. */
async function setAsidePieces(said: string, folder: string, aside: string): Promise<number> {
  // Restic names them by their beginning.
  const named = new Set((said.match(/\b[0-9a-f]{8,64}\b/g) ?? []).map((id) => id.slice(0, shortId)))
  let moved = 0
  for (const prefix of await namesIn(join(folder, 'data')))
    for (const name of await namesIn(join(folder, 'data', prefix)))
      if (named.has(name.slice(0, shortId))) moved += await setAside(join(folder, 'data', prefix, name), name, aside)
  return moved
}

const shortId = 8

async function setAside(file: string, name: string, aside: string): Promise<0 | 1> {
  if ((await sha256Of(file)) === name) return 0
  await mkdir(aside, { recursive: true, mode: 0o700 })
  await rename(file, join(aside, name))
  return 1
}

/** A file of a repository is named by what is in it. */
async function sha256Of(file: string): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(file), hash)
  } catch {
    return null
  }
  return hash.digest('hex')
}

interface Place {
  id: string
  isThere: boolean
  /** Ids that something else refers to. */
  known: ReadonlySet<string>
}

/**
 * Brings what a snapshot lacks, and answers its id then. Restic leaves out a snapshot that is there already, so its file is
 * out of the way meanwhile; what restic makes in its place is removed again, unless that file is lost.
 */
async function copyBack(runs: RepairRuns, copy: ListedSnapshot, { id, isThere, known }: Place): Promise<string> {
  const { repository, back, folder, aside, onlyHost } = runs
  const run = insisting(repository, onlyHost)
  const made = async () =>
    (await listed(run)).flatMap((one) => (one.original === copy.original && !known.has(one.id) ? one.id : []))
  const forget = async (ids: readonly string[]) => {
    if (ids.length > 0) await run(['forget', ...ids])
  }
  // Of a repair that was cut off: with it, restic would bring nothing.
  await forget(await made())
  const [own, out] = [join(folder, 'snapshots'), join(aside, 'snapshots')]
  await mkdir(out, { recursive: true, mode: 0o700 })
  if (isThere) await rename(join(own, id), join(out, id))
  try {
    await insisting(back, onlyHost)(['copy', copy.id])
  } finally {
    await putBack(out, own)
  }
  const now = await made()
  if (isThere) await forget(now)
  return isThere ? id : (now[0] ?? id)
}

async function putBack(from: string, to: string): Promise<void> {
  for (const name of await namesIn(from)) await rename(join(from, name), join(to, name))
  await rm(from, { recursive: true, force: true })
}
