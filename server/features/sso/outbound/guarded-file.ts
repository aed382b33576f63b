import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** The text of a file that nobody but the service account and the system may have written; throws an error that says so. */
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
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`${basename(path)} ${code === 'ENOENT' ? 'does not exist' : `can not be read (${code})`}`)
  }
}
