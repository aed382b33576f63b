import type { BackupPreview } from '../../../shared/device/backup-preview.ts'

type Folder = BackupPreview['largest'][number]

export interface TreeRow extends Folder {
  /** The path, or of a folder in one that is shown the rest of it. */
  name: string
  depth: number
  /** Of all bytes, from 0 to 100. */
  share: number
}

/** The largest folders, each below the one it is in. `shown` is how many; the largest are first, at every depth. */
export function treeOf({ largest, bytes }: Pick<BackupPreview, 'largest' | 'bytes'>, shown: number): TreeRow[] {
  const rows: TreeRow[] = []
  const folders = largest.slice(0, shown)
  const add = (folder: Folder, above: Folder | null, depth: number) => {
    const name = above === null ? folder.path : folder.path.slice(above.path.length).replace(/^[/\\]/, '')
    rows.push({ ...folder, name, depth, share: bytes > 0 ? (folder.bytes / bytes) * 100 : 0 })
    for (const one of folders) if (aboveOf(one, folders) === folder) add(one, folder, depth + 1)
  }
  for (const folder of folders) if (aboveOf(folder, folders) === null) add(folder, null, 0)
  return rows
}

/** The deepest of them that the folder is in. */
function aboveOf(folder: Folder, all: readonly Folder[]): Folder | null {
  const [deepest = null] = all
    .filter((one) => one !== folder && isWithin(folder.path, one.path))
    .toSorted((a, b) => b.path.length - a.path.length)
  return deepest
}

const isWithin = (path: string, other: string): boolean =>
  path.startsWith(/[/\\]$/.test(other) ? other : `${other}${other.includes('\\') ? '\\' : '/'}`)
