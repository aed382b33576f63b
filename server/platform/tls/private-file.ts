import { chmod, readFile } from 'node:fs/promises'
import { errorCode } from '../../../shared/thrown.ts'

const ownerOnly = 0o600

/** The text of a file only its owner may read, or null when there is none. Narrows permissions a restore left too wide. */
export async function readPrivateFile(path: string): Promise<string | null> {
  try {
    await chmod(path, ownerOnly)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}
