import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file: it is either as before or complete, also on a full disk and after a power cut. Only its owner may read
 * it, unless `mode` says otherwise.
 * @throws what the file system says, such as ENOSPC
 */
export const writeFileDurably = (file: string, content: string | Uint8Array, mode = 0o600): void =>
  throughDraft(file, (draft) => writeFileSync(draft, content, { mode, flag: 'wx' }))

/** The same with the content and the permissions of another file. */
export const copyFileDurably = (from: string, file: string): void =>
  throughDraft(file, (draft) => copyFileSync(from, draft, constants.COPYFILE_EXCL))

function throughDraft(file: string, write: (draft: string) => void): void {
  const draft = `${file}.tmp`
  // A draft left by a crash may have other permissions, and the mode only counts for a new file.
  rmSync(draft, { force: true })
  try {
    write(draft)
    replaceDurably(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Renames a finished draft, which lies in the same folder or below it. */
export function replaceDurably(draft: string, file: string): void {
  syncToDisk(draft)
  renameSync(draft, file)
  // Until then a power cut may undo the rename, although the content is on the disk.
  syncToDisk(dirname(file))
}

/** Waits until the content of a file, or the names in a folder, would outlast a power cut. */
export function syncToDisk(path: string): void {
  const isWindows = process.platform === 'win32'
  // NTFS journals the names itself and offers no handle for this.
  if (isWindows && statSync(path).isDirectory()) return
  const handle = openSync(path, isWindows ? 'r+' : 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
