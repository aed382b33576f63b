import type { Stats } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'

export interface Walk {
  signal: AbortSignal
  /** Whether this path, and all below it, is not to be looked at. */
  isLeftOut: (path: string) => boolean
  onUnreadable: (path: string, error: unknown) => void
}

export interface Walked {
  path: string
  stats: Stats
}

/** Names need not be UTF-8. Read as Latin-1, each byte is a character, and none is lost. */
const raw = 'latin1'
const toDisk = (path: string) => Buffer.from(path, raw)
const fromDisk = (path: string) => toDisk(path).toString()

/** Few, so that the disk has time for others. */
const atOnce = 4
const batchSize = 200

/**
 * Everything that a backup of the paths would read, in batches of one folder, those nearest to the paths first. Links are
 * not followed, and disks below others are entered, as restic does it.
 * @throws when the signal is aborted
 */
export async function* walk(
  paths: readonly string[],
  { signal, isLeftOut, onUnreadable }: Walk,
): AsyncGenerator<Walked[]> {
  const limit = pLimit(atOnce)
  const look = async (name: string): Promise<(Walked & { name: string }) | null> => {
    const path = fromDisk(name)
    if (isLeftOut(path)) return null
    try {
      const stats = await lstat(toDisk(name))
      // Sockets cannot be backed up.
      return stats.isSocket() ? null : { name, path, stats }
    } catch (error) {
      // What is gone by now would not be backed up either.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onUnreadable(path, error)
      return null
    }
  }
  let deeper: string[] = []
  const lookAt = async (names: readonly string[]): Promise<Walked[]> => {
    signal.throwIfAborted()
    const found = (await limit.map(names, look)).filter((one) => one !== null)
    deeper.push(...found.filter(({ stats }) => stats.isDirectory()).map(({ name }) => name))
    return found
  }
  yield await lookAt(paths.map((path) => Buffer.from(path).toString(raw)))
  // Level by level: a caller who stops early has seen something of every folder.
  while (deeper.length > 0) {
    const folders = deeper
    deeper = []
    for (const folder of folders) {
      let names: string[] = []
      try {
        for await (const { name } of await opendir(toDisk(folder), { encoding: raw as BufferEncoding })) {
          names.push(join(folder, name))
          if (names.length < batchSize) continue
          yield await lookAt(names)
          names = []
        }
      } catch (error) {
        signal.throwIfAborted()
        onUnreadable(fromDisk(folder), error)
      }
      yield await lookAt(names)
    }
  }
}
