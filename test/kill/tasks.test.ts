import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Database } from '../../server/db/database.ts'
import { eventually } from '../helpers/eventually.ts'
import { startProcess } from '../helpers/real-appliance.ts'
import { times } from '../helpers/thorough.ts'

/** What the process counts up to: a row and a piece of progress in one transaction for each. */
const rows = 400

interface Row {
  state: string
  attempts: number
  progress: string | null
  error: string | null
}

test('a task whose process is killed continues where it was, as often as that happens', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'homeport-tasks-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'tasks.db')
  const db = new Database({ file })
  onTestFinished(() => db.close())
  db.migrate()
  const task = () => db.statement('SELECT state, attempts, progress, error FROM tasks').get() as Row | undefined
  const written = () => db.statement('SELECT count(*) FROM settings').pluck().get() as number
  const start = () => startProcess('test/kill/counting-process.ts', [file, String(rows)], {})

  const kills = times(4, 2)
  for (let kill = 1; kill <= kills; kill++) {
    const counting = start()
    await eventually(() => {
      expect(counting.child.exitCode, counting.output()).toBeNull()
      expect(written()).toBeGreaterThan((kill * rows) / (kills + 2))
    })
    await counting.stop('SIGKILL')
    expect(task()).toMatchObject({ state: 'active', attempts: kill })
    // Progress and rows are saved together.
    expect(JSON.parse(task()?.progress ?? '')).toEqual({ at: written() })
  }
  const last = start()
  await eventually(() => expect(task()).toMatchObject({ state: 'completed', attempts: kills + 1, error: null }))
  await last.stop('SIGKILL')
  // No row was written twice.
  expect(written()).toBe(rows)
  expect(db.check()).toEqual([])
})
