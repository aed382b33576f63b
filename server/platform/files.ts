import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** The file is either as before or complete, also after a power cut; readable by its owner only. */
export function writeFileDurably(file: string, content: string | Uint8Array, mode = 0o600): void {
  const temporary = `${file}.${process.pid}.tmp`
  const handle = openSync(temporary, 'w', mode)
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(temporary, file)
  syncDirectory(dirname(file))
}

function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
