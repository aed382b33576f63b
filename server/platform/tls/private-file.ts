import { chmod, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

const ownerOnly = 0o600

/** The text of a file only its owner may read, or null when there is none. Narrows permissions a restore left too wide. */
export async function readPrivateFile(path: string): Promise<string | null> {
  try {
    await chmod(path, ownerOnly)
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Replaces the file in one step: after a crash or a power failure the old or the new text is there, whole. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const draft = `${path}.tmp`
  // A draft left by a crash may have other permissions, and `mode` only counts for a new file.
  await rm(draft, { force: true })
  const file = await open(draft, 'wx', ownerOnly)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  await syncFolder(dirname(path))
}

/** Makes the rename itself durable. Windows neither needs nor allows it. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
