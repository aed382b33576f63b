import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { FileChecksum } from '../../shared/device/backup.ts'
import { pathHere } from './restore-plan.ts'
import type { SnapshotNode } from './snapshot-nodes.ts'

/**
 * What files were when a snapshot was made, read from the disk itself. One that has changed since restic read it, or while
 * it is read here, is left out: its checksum would say nothing of the snapshot.
 */
export async function checksumsOf(nodes: readonly SnapshotNode[], signal: AbortSignal): Promise<FileChecksum[]> {
  const found: FileChecksum[] = []
  for (const node of nodes) {
    signal.throwIfAborted()
    const sha256 = await checksumOf(node, signal).catch(() => null)
    if (sha256 !== null) found.push({ path: node.path, size: node.size, mtime: node.mtime, sha256 })
  }
  return found
}

/** Millisecond. */
const nanosecondsInOne = 1_000_000n

async function checksumOf(node: SnapshotNode, signal: AbortSignal): Promise<string | null> {
  const path = pathHere(node.path)
  if (!(await isAsIn(node, path))) return null
  const sha256 = await sha256Of(path, signal)
  return (await isAsIn(node, path)) ? sha256 : null
}

async function isAsIn({ size, mtime }: SnapshotNode, path: string): Promise<boolean> {
  const found = await lstat(path, { bigint: true })
  return found.isFile() && found.size === BigInt(size) && Number(found.mtimeNs / nanosecondsInOne) === Date.parse(mtime)
}

/** Of the file itself, not of what a link in its place leads to. */
export async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  // Windows has no such flag, and no links that anybody may make.
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  const hash = createHash('sha256')
  await pipeline(file.createReadStream(), hash, { signal })
  return hash.digest('hex')
}
