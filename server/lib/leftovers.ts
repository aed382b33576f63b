import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../shared/thrown.ts'

/**
 * What a process that was killed has left in a folder: what lies there now. To be called before this process puts anything
 * there; what comes later is not touched.
 * @returns removes it
 */
export function leftoversIn(folder: string, prefix = ''): () => Promise<void> {
  const names = namesIn(folder).filter((name) => name.startsWith(prefix))
  return async () => {
    await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true })))
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}
