import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import SQLite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { SnapshotIndex } from '../../server/features/snapshot-index/index.ts'
import { dir, file, headerLine, listing, nodeLine, snapshotIndex } from '../helpers/listings.ts'

/** A process that is killed while it stores the files of a snapshot. */

const files = 120_000
const first = [dir('/before'), file('/before/a', 1)]

async function scene() {
  const { folder, index, repository, file: path } = snapshotIndex()
  await index.store(repository, { id: 'one', time: 1 }, listing('one', first))
  await index.stop()
  const many = Array.from({ length: files }, (_, n) => nodeLine(file(`/after/${n % 100}/${n}`, n)))
  const received = join(folder, 'listing')
  writeFileSync(received, gzipSync([headerLine('two'), ...many].join('\n'), { level: 1 }))
  const start = () => {
    const args = [join(import.meta.dirname, 'storing-process.ts'), folder, repository, 'two', received]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }
  return { folder, repository, path, start }
}

/** Whether somebody else is in the middle of a transaction that writes. */
function isWriting(path: string): boolean {
  const db = new SQLite(path, { timeout: 0 })
  try {
    db.exec('BEGIN IMMEDIATE; ROLLBACK')
    return false
  } catch {
    return true
  } finally {
    db.close()
  }
}

/** The index as the next start of the appliance finds it. */
function opened(folder: string): SnapshotIndex {
  const index = new SnapshotIndex(folder)
  onTestFinished(() => index.stop())
  return index
}

test('a snapshot is stored as a whole or not at all, whenever the process is killed', async () => {
  const { folder, repository, path, start } = await scene()
  const isWhole = () => new SQLite(path).pragma('integrity_check', { simple: true })
  const moments = 12
  for (let moment = 0; moment < moments; moment++) {
    const child = start()
    const ended = once(child, 'close')
    while (!isWriting(path) && child.exitCode === null) await sleep(5)
    await sleep(moment * 50)
    child.kill('SIGKILL')
    await ended

    const index = opened(folder)
    const ids = (await index.indexed(repository)).map(({ id }) => id)
    // The first kill comes right after the transaction has begun.
    expect(moment === 0 ? ['one'] : ['one', 'two,one']).toContain(ids.join())
    const search = await index.search(repository, { text: '7', limit: 1 })
    expect(search.items.length).toBe(ids.length - 1)
    expect(await index.folder(repository, { snapshotId: 'one', path: '/before', limit: 5 })).toMatchObject({
      items: [{ name: 'a', size: 1 }],
    })
    expect(isWhole()).toBe('ok')
    await index.remove(repository, ['two'])
    await index.stop()
  }

  const index = opened(folder)
  await index.removeLeftovers()
  expect(readdirSync(join(folder, '.incoming'))).toEqual([])
  const child = start()
  await once(child, 'close')
  expect(await index.indexed(repository)).toMatchObject([{ id: 'two', files, folders: 101 }, { id: 'one' }])
  expect(isWhole()).toBe('ok')
})
