import { basename, dirname, extname, join } from 'node:path'

/** A path as text, or in bytes where a name in it is no UTF-8. */
export type Path = string | Buffer

const slash = Buffer.from('/')
/** Of a name, in most file systems. */
const longestName = 255

export function inFolder(folder: Path, name: Buffer): Path {
  const text = name.toString()
  if (typeof folder === 'string' && Buffer.from(text).equals(name)) return join(folder, text)
  return Buffer.concat([Buffer.from(folder), slash, name])
}

export function parentOf(path: Path): Path {
  return typeof path === 'string' ? dirname(path) : path.subarray(0, path.lastIndexOf(slash))
}

/** `report (mark).txt`: what a second file of this name is called. */
export function besides(path: Path, mark: string): Path {
  const more = ` (${mark})`
  if (typeof path !== 'string') return Buffer.concat([path, Buffer.from(more)])
  const ending = extname(path)
  const stem = shortened(basename(path, ending), longestName - Buffer.byteLength(more + ending))
  return join(dirname(path), stem + more + ending)
}

/** Where a file is written until all of it is there. */
export function draftBeside(path: Path): Path {
  const ending = '.restoring'
  if (typeof path !== 'string') return Buffer.concat([path, Buffer.from(ending)])
  return join(dirname(path), `.${shortened(basename(path), longestName - ending.length - 1)}${ending}`)
}

/** As many whole characters as fit. */
function shortened(text: string, bytes: number): string {
  let length = 0
  let kept = ''
  for (const character of text) {
    length += Buffer.byteLength(character)
    if (length > bytes) break
    kept += character
  }
  return kept
}
