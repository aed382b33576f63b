import { mkdir, readdir, readFile, realpath, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makePrivateFolder } from '../files.ts'

/** Folders in which restic leaves what it restores, beside where it goes, and that are gone afterwards. */

const prefix = '.homeport-restore-'

/** On the disk of the target, so that files need not be copied once more. It is noted first, for the case of a kill. */
export async function makeStaging(notesFolder: string, id: string, target: string): Promise<string> {
  const parent = await existingFolder(target)
  const folder = join(parent, `${prefix}${id}`)
  makePrivateFolder(notesFolder)
  await writeFile(join(notesFolder, `${id}.path`), folder, { mode: 0o600 })
  await mkdir(folder, { mode: 0o700 })
  return folder
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
