import { lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pause } from '../../shared/node/pause.ts'
import { makePrivateFolder } from '../files.ts'

/** Folders for test restores. Nothing that the agent removes for them lies anywhere else. */

const name = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * A new, private folder.
 * @throws Error when there is something of that name already
 */
export async function makeTestFolder(parent: string, id: string): Promise<string> {
  if (!name.test(id)) throw new Error(`${id} is no name for a folder of a test restore`)
  makePrivateFolder(parent)
  const folder = join(await realpath(parent), id)
  await mkdir(folder, { mode: 0o700 })
  return folder
}

/**
 * Removes one, and never what a link in its place, or in place of what is in it, leads to.
 * @returns whether nothing is left of it
 */
export async function removeTestFolder(parent: string, folder: string): Promise<boolean> {
  try {
    const found = await lstat(folder).catch(() => null)
    if (found === null) return true
    const isOwn = found.isDirectory() && name.test(basename(folder)) && (await lstat(parent)).isDirectory()
    if (!isOwn || (await realpath(dirname(folder))) !== (await realpath(parent))) return false
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    return true
  } catch {
    return false
  }
}

const againEveryMs = 10 * 60_000

/** Tries again until nothing is left of it: a scanner may have had a file of it open. Keeps no process alive. */
export async function removeTestFolderLater(parent: string, folder: string, everyMs = againEveryMs): Promise<void> {
  do await sleep(everyMs, undefined, { ref: false })
  while (!(await removeTestFolder(parent, folder)))
}

/**
 * What a kill has left, or what could not be removed before.
 * @param againAfterMs looks once more for what was found: a restic whose agent was killed may have gone on for a moment
 */
export async function removeLeftTestFolders(parent: string, againAfterMs?: number): Promise<void> {
  const found = await lstat(parent).catch(() => null)
  if (!found?.isDirectory()) return
  const left = (await readdir(parent)).filter((one) => name.test(one))
  for (const one of left) await removeTestFolder(parent, join(parent, one))
  if (left.length === 0 || againAfterMs === undefined) return
  await pause(againAfterMs, AbortSignal.timeout(2 * againAfterMs))
  for (const one of left) await removeTestFolder(parent, join(parent, one))
}
