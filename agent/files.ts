import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** After this returns the file holds the whole text, also across a power failure; before, the old one. */
export function writeAtomically(path: string, text: string): void {
  const draft = `${path}.tmp`
  const file = openSync(draft, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
  syncFolder(dirname(path))
}

function syncFolder(path: string): void {
  if (process.platform === 'win32') return // NTFS journals the rename itself and offers no handle for this
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

export function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export const makePrivateFolder = (path: string): void => void mkdirSync(path, { recursive: true, mode: 0o700 })
