import type { Stats } from 'node:fs'
import { lstat, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The agent may change everything; other users of the computer may not tell it where. Windows tells no owners. */

const ownId = process.getuid?.()
const isTrusted = ({ uid }: Stats): boolean => ownId === undefined || uid === 0 || uid === ownId

const withParents = (path: string): string[] => {
  const parent = dirname(path)
  return parent === path ? [path] : [path, ...withParents(parent)]
}

/** Whether nobody else can rename what lies in this folder, nor a folder above it. */
export async function isOutOfOthersHands(folder: string): Promise<boolean> {
  if (ownId === undefined) return true
  for (const one of withParents(await realpath(folder))) {
    const found = await lstat(one)
    const isWritable = (found.mode & 0o022) !== 0 && (found.mode & 0o1000) === 0
    if (!isTrusted(found) || isWritable) return false
  }
  return true
}

/**
 * The links of administrators are followed, and those of a user to what belongs to the same user.
 * @throws Error for a link of a user to anything else
 */
export async function assertNoForeignLinks(path: string): Promise<void> {
  for (const one of withParents(path)) {
    const link = await lstat(one).catch(() => null)
    if (!link?.isSymbolicLink() || isTrusted(link)) continue
    const goal = await stat(one).catch(() => null)
    if (goal?.uid !== link.uid) throw new Error(`${one} is a link of a user that leads elsewhere`)
  }
}
