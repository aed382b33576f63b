import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Removes what a run has left that was killed while it made a repository in a folder: a key, and nothing that it opens.
 * With a configuration, or any data, it stays as it is.
 */
export async function removeHalfMade(folder: string): Promise<void> {
  if (existsSync(join(folder, 'config'))) return
  for (const kind of ['snapshots', 'index']) if ((await readdir(join(folder, kind)).catch(() => [])).length > 0) return
  await rm(join(folder, 'keys'), { recursive: true, force: true })
}
