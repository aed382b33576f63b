import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../testing/restic.ts'
import { Comparison } from './comparison.ts'
import type { SnapshotNode } from './snapshot-nodes.ts'

const modified = new Date('2026-01-01T00:00:00.250Z')

/** So many files of five bytes, restored as they were. */
function restored(count: number) {
  const folder = scratchFolder()
  mkdirSync(join(folder, 'srv'), { recursive: true })
  const nodes = Array.from({ length: count }, (_, n): SnapshotNode => {
    const path = `/srv/${n}`
    writeFileSync(join(folder, path), 'notes')
    utimesSync(join(folder, path), modified, modified)
    return { struct_type: 'node', type: 'file', path, size: 5, mtime: modified.toISOString() }
  })
  const verdict = async (complaints: ReadonlyMap<string, string> = new Map(), lines: readonly string[] = []) => {
    const comparison = new Comparison({ folder, checksums: [], complaints, signal: new AbortController().signal })
    for (const node of nodes) await comparison.add(node)
    for (const line of lines) comparison.addLinkLine(line)
    return comparison.verdict(complaints.size > 0 ? 'There were errors' : null)
  }
  return { folder, nodes, verdict }
}

const damaged = 'its data in the storage is damaged or missing'
const complaintsOf = (nodes: readonly SnapshotNode[]) => new Map(nodes.map(({ path }) => [path, damaged]))

test.each([
  [0, 'passed'],
  [1, 'partial'],
  [2, 'partial'],
  [3, 'failed'],
  [20, 'failed'],
])('%i of 20 files that cannot be restored, missing or not, are %s', async (bad, status) => {
  const { folder, nodes, verdict } = restored(20)
  const some = nodes.slice(0, bad)
  expect(await verdict(complaintsOf(some))).toMatchObject({ status, filesVerified: 20 - bad, filesFailed: bad })
  for (const { path } of some) writeFileSync(join(folder, path), 'other size')
  expect((await verdict()).status).toBe(status)
  for (const { path } of some) rmSync(join(folder, path))
  expect((await verdict()).status).toBe(status)
})

test('a link that leads elsewhere is a deviation; one of which it is not known where it should lead is said', async () => {
  const { folder, nodes, verdict } = restored(20)
  for (const name of ['one', 'two', 'three']) {
    const path = `/srv/${name}`
    symlinkSync('target', join(folder, path))
    nodes.push({ struct_type: 'node', type: 'symlink', path, size: 0, mtime: modified.toISOString() })
  }
  const line = (path: string, target: string) =>
    `Lrwxrwxrwx     0     0      0 2026-01-01 00:00:00 ${path} -> ${target}`
  const same = ['one', 'two', 'three'].map((name) => line(`/srv/${name}`, 'target'))
  const passed = await verdict(undefined, same)
  expect(passed).toMatchObject({ status: 'passed', filesVerified: 20, filesFailed: 0 })
  expect(passed.warnings).toBeUndefined()
  const other = [line('/srv/one', 'target'), line('/srv/two', 'elsewhere'), line('/srv/none of ours', 'x')]
  expect(await verdict(undefined, other)).toMatchObject({
    ...{ status: 'partial', filesVerified: 20, filesFailed: 1 },
    failedFiles: [{ path: '/srv/two', error: 'leads elsewhere' }],
    warnings: ['Links of which it was not compared where they lead: 1'],
  })
})

test('another modification time is a warning and no failure', async () => {
  const { folder, nodes, verdict } = restored(20)
  expect((await verdict()).warnings).toBeUndefined()
  for (const { path } of nodes.slice(0, 3))
    utimesSync(join(folder, path), modified, new Date(modified.getTime() + 1000))
  const almost = new Date(modified.getTime() + 999)
  for (const { path } of nodes.slice(3)) utimesSync(join(folder, path), almost, almost)
  expect(await verdict()).toMatchObject({
    ...{ status: 'passed', filesVerified: 20, filesFailed: 0 },
    warnings: ['Files with another modification time than before: 3'],
  })
})
