import type { Stats } from 'node:fs'
import { constants } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, open, readdir, readlink, rename, rm, symlink, utimes } from 'node:fs/promises'
import type { ExistingFiles } from '../../shared/device/backup.ts'
import { besides, draftBeside, inFolder, type Path, parentOf } from './paths.ts'

export interface PlacedCounts {
  restored: number
  bytes: number
  kept: number
  renamed: number
}

export interface Placing {
  existing: ExistingFiles
  /** Says what a restored file of the same name is called beside the one that is there, as in `report (restored 2026-11-24).txt`. */
  mark: string
  counts: PlacedCounts
  onFailure: (path: string, error: unknown) => void
  /** A restored file has another name, because there was one of its own. */
  onRenamed: (path: string, as: string) => void
  /** Whether restic has said that this one is damaged. */
  isDamaged: (from: string) => boolean
  signal: AbortSignal
}

/**
 * Moves restored files from where restic has put them to where they belong: whole folders where there is none yet, else
 * one by one. What cannot be moved is said, and the rest goes on.
 */
export async function putInPlace(from: Path, to: Path, placing: Placing): Promise<void> {
  placing.signal.throwIfAborted()
  try {
    const found = await lstat(from)
    if (found.isDirectory()) await placeFolder(from, to, found, placing)
    else await placeFile(from, to, found, placing)
  } catch (error) {
    placing.signal.throwIfAborted()
    placing.onFailure(String(to), error)
  }
}

async function placeFolder(from: Path, to: Path, found: Stats, placing: Placing): Promise<void> {
  const there = await statOrNull(to)
  if (there && !there.isDirectory()) {
    if (placing.existing === 'keep') return countKept(from, placing)
    if (placing.existing === 'replace') await rm(to)
    else return putInPlace(from, await freeName(to, placing.mark), placing)
  }
  // One that was there keeps what it is: others may rely on it.
  const isNew = there?.isDirectory() !== true
  if (isNew) await mkdir(to, { recursive: true })
  for (const name of await readdir(from, { encoding: 'buffer' }))
    await putInPlace(inFolder(from, name), inFolder(to, name), placing)
  if (isNew) await likeness(to, found)
}

async function placeFile(from: Path, to: Path, found: Stats, placing: Placing): Promise<void> {
  const { counts, existing, mark } = placing
  // restic has counted it among its failures.
  if (placing.isDamaged(String(from))) return
  const there = await statOrNull(to)
  if (there && existing === 'keep') {
    counts.kept++
    return
  }
  let target = to
  if (there && existing === 'rename') {
    if (await isSame(from, found, to, there)) {
      counts.kept++
      return
    }
    target = await freeName(to, mark)
    counts.renamed++
    placing.onRenamed(String(to), String(target))
  } else if (there?.isDirectory()) throw new Error('there is a folder of this name')
  await mkdir(parentOf(target), { recursive: true })
  await move(from, target, found)
  counts.restored++
  counts.bytes += found.isFile() ? found.size : 0
}

/** Of the same size and time: nothing was changed since the backup, and a second copy is of no use. */
async function isSame(from: Path, found: Stats, to: Path, there: Stats): Promise<boolean> {
  if (found.isSymbolicLink() && there.isSymbolicLink()) return (await readlink(from)) === (await readlink(to))
  return found.isFile() && there.isFile() && found.size === there.size && found.mtimeMs === there.mtimeMs
}

async function move(from: Path, to: Path, found: Stats): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await copyOver(from, to, found)
    await rm(from)
  }
}

/** To another disk. The file has its name only when all of it is there. */
async function copyOver(from: Path, to: Path, found: Stats): Promise<void> {
  if (found.isSymbolicLink()) {
    await rm(to, { force: true })
    await symlink(await readlink(from, { encoding: 'buffer' }), to)
    return
  }
  if (!found.isFile()) throw new Error('it is no file, and cannot be moved to another disk')
  const draft = draftBeside(to)
  // What is there may be a link that leads elsewhere.
  await rm(draft, { force: true })
  try {
    await copyFile(from, draft, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
    await likeness(draft, found)
    await rename(draft, to)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Owner, mode and times, as far as the agent may set them; never of what a link leads to. */
async function likeness(path: Path, { uid, gid, mode, atime, mtime }: Stats): Promise<void> {
  if (process.platform === 'win32') {
    await chmod(path, mode & 0o7777).catch(() => {})
    await utimes(path, atime, mtime).catch(() => {})
    return
  }
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null)
  if (handle === null) return
  try {
    await handle.chown(uid, gid).catch(() => {})
    await handle.chmod(mode & 0o7777).catch(() => {})
    await handle.utimes(atime, mtime).catch(() => {})
  } finally {
    await handle.close()
  }
}

async function countKept(from: Path, placing: Placing): Promise<void> {
  const found = await lstat(from)
  if (!found.isDirectory()) {
    placing.counts.kept++
    return
  }
  for (const name of await readdir(from, { encoding: 'buffer' })) await countKept(inFolder(from, name), placing)
}

async function freeName(path: Path, mark: string): Promise<Path> {
  for (let n = 1; ; n++) {
    const name = besides(path, n > 1 ? `${mark} ${n}` : mark)
    if (!(await statOrNull(name))) return name
  }
}

const statOrNull = (path: Path): Promise<Stats | null> =>
  lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
