import type { IndexDatabase } from './index-file.ts'
import { nameOf } from './names.ts'
import { shownName, shownPath } from './paths.ts'
import { type EntryRow, entryColumns, isInSnapshot, isoTime, snapshotOf } from './reading.ts'
import type { Questions } from './shapes.ts'

/** As the API of backups has it, in which folders have a slash before the drive. */
interface TreeNode {
  name: string
  path: string
  type: 'file' | 'directory'
  sizeBytes?: number
  modifiedAt?: string
  children?: TreeNode[]
}

interface OpenFolder {
  id: number
  names: readonly string[]
  children: TreeNode[]
}

/**
 * The whole tree as JSON text, because it would hold up the main thread to receive so many objects. Level by level: of a
 * tree with too many entries the deepest are missing.
 */
export function readTree(db: IndexDatabase, input: Questions['tree']['input']): Questions['tree']['output'] {
  const snapshot = snapshotOf(db, input.snapshotId)
  const read = db.prepare<unknown[], EntryRow>(
    `SELECT ${entryColumns} FROM entries WHERE folder = ? AND ${isInSnapshot}
     ORDER BY is_leaf, name_key, own_name LIMIT ?`,
  )
  const tree: TreeNode[] = []
  const open: OpenFolder[] = [{ id: 0, names: [], children: tree }]
  let left = input.limit
  for (const folder of open) {
    const rows = read.all(folder.id, snapshot.key, left + 1)
    const shown = rows.slice(0, left)
    left -= shown.length
    for (const row of shown) {
      const node = nodeOf(row, folder.names, snapshot.isWindows)
      folder.children.push(node)
      if (row.child !== null && node.children)
        open.push({
          id: row.child,
          names: [...folder.names, nameOf(row.name_key, row.own_name)],
          children: node.children,
        })
    }
    if (rows.length > shown.length) return treeText(tree, true)
  }
  return treeText(tree, false)
}

function nodeOf(row: EntryRow, folder: readonly string[], isWindows: boolean): TreeNode {
  const name = nameOf(row.name_key, row.own_name)
  const path = shownPath([...folder, name], isWindows).replace(/(?<=.)\/$/, '')
  return {
    name: shownName(name, folder.length, isWindows),
    ...(row.child === null
      ? { path, type: 'file', sizeBytes: row.size ?? 0 }
      : { path: path.startsWith('/') ? path : `/${path}`, type: 'directory' }),
    modifiedAt: isoTime(row.mtime) ?? undefined,
    ...(row.child !== null && { children: [] }),
  }
}

const treeText = (tree: readonly TreeNode[], isTruncated: boolean): Questions['tree']['output'] => ({
  json: new TextEncoder().encode(JSON.stringify(tree)),
  isTruncated,
})
