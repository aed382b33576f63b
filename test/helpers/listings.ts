import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import type { Bounds } from '../../server/features/snapshot-index/bounds.ts'
import { SnapshotIndex } from '../../server/features/snapshot-index/index.ts'

/** Listings as `restic ls --json` prints them, made by hand. */

export interface ListedEntry {
  path: string
  type?: 'dir' | 'file' | 'symlink' | 'fifo'
  size?: number
  mtime?: string
}

export const usualTime = '2026-03-01T09:00:00.123456789Z'

export function nodeLine({ path, type = 'file', size = 0, mtime = usualTime }: ListedEntry): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const own = type === 'file' ? { size } : {}
  return JSON.stringify({ name, type, path, uid: 0, gid: 0, ...own, mode: 420, mtime, struct_type: 'node' })
}

export const headerLine = (id: string, paths: readonly string[] = ['/']): string =>
  JSON.stringify({ time: usualTime, paths, hostname: 'x', id, short_id: id.slice(0, 8), struct_type: 'snapshot' })

export const packed = (lines: readonly string[]): Readable => Readable.from([gzipSync(`${lines.join('\n')}\n`)])

export const listing = (id: string, entries: readonly ListedEntry[], paths?: readonly string[]): Readable =>
  packed([headerLine(id, paths), ...entries.map(nodeLine)])

/** A file of so many bytes. */
export const file = (path: string, size = 0, mtime = usualTime): ListedEntry => ({ path, size, mtime })
export const dir = (path: string, mtime = usualTime): ListedEntry => ({ path, type: 'dir', mtime })

/** An index in a folder that is gone after the test, with one repository. */
export function snapshotIndex(bounds: Partial<Bounds> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'homeport-index-'))
  const index = new SnapshotIndex(folder, bounds)
  onTestFinished(async () => {
    await index.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const repository = randomUUID()
  return { folder, index, repository, file: join(folder, `${repository}.db`) }
}

export async function listed<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
