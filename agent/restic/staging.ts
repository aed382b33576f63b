import { mkdir, readdir, readFile, realpath, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makePrivateFolder } from '../files.ts'
import { isOutOfOthersHands } from './trusted-way.ts'

/** Folders in which restic leaves what it restores, near where it goes, and that are gone afterwards. */

const prefix = '.homeport-restore-'

/**
 * On the disk of the target if possible, so that files need not be copied once more, and where no user can put a folder of
 * their own in its place. It is noted first, for the case of a kill.
 */
export async function makeStaging(notesFolder: string, id: string, target: string): Promise<string> {
  makePrivateFolder(notesFolder)
  const make = async (parent: string) => {
    const folder = join(parent, `${prefix}${id}`)
    await writeFile(join(notesFolder, `${id}.path`), folder, { mode: 0o600 })
    await mkdir(folder, { mode: 0o700 })
    return folder
  }
  for (const parent of await foldersOnDisk(await existingFolder(target))) {
    const folder = (await isOutOfOthersHands(parent)) ? await make(parent).catch(() => null) : null
    if (folder !== null) return folder
  }
  return make(notesFolder)
}

/** A folder and those above it, as far as they lie on the same disk. */
async function foldersOnDisk(folder: string): Promise<string[]> {
  const found = [await realpath(folder)]
  const { dev } = await stat(folder)
  for (let parent = dirname(found[0] ?? ''); parent !== found.at(-1); parent = dirname(parent)) {
    if ((await stat(parent)).dev !== dev) break
    found.push(parent)
  }
  return found
}

export async function removeStaging(notesFolder: string, id: string, folder: string): Promise<void> {
  await removeOwn(folder)
  await rm(join(notesFolder, `${id}.path`), { force: true })
}

/** What a kill has left. */
export async function removeLeftStaging(notesFolder: string): Promise<void> {
  const notes = await readdir(notesFolder).catch(() => [])
  for (const note of notes.filter((name) => name.endsWith('.path'))) {
    const folder = await readFile(join(notesFolder, note), 'utf8')
    await removeOwn(folder)
    await rm(join(notesFolder, note), { force: true })
  }
}

/** Never anything but a folder that this agent has made, nor what a link in its place leads to. */
async function removeOwn(folder: string): Promise<void> {
  const real = await realpath(folder).catch(() => null)
  if (real === null || !basename(folder).startsWith(prefix) || basename(real) !== basename(folder)) return
  await rm(real, { recursive: true, force: true, maxRetries: 3 })
}

/** The folder itself, or the nearest above it that there is. */
async function existingFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory()) return path
  const parent = dirname(path)
  if (parent === path) throw new Error(`${path} is not there`)
  return existingFolder(parent)
}

/** Of the disk on which the folder lies; bytes. */
export async function freeBytesAt(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(await existingFolder(path))
  return bavail * bsize
}
