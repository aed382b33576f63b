import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { errorCode } from '../../../../shared/thrown.ts'

/**
 * Reads a file that only the service account or root can write.
 * @throws Error that says why it is not read
 */
export function readGuardedFile(path: string): string {
  const file = open(path)
  try {
    const { uid, mode } = fstatSync(file)
    const own = process.getuid?.()
    if (own !== undefined && ((uid !== own && uid !== 0) || (mode & 0o022) !== 0))
      throw new Error(`${basename(path)} can be written by others than the account of the appliance`)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

function open(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (error) {
    const code = errorCode(error)
    throw new Error(`${basename(path)} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}`)
  }
}
