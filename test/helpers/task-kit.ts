import { onTestFinished } from 'vitest'
import type { Database } from '../../server/db/database.ts'
import { createLog } from '../../server/platform/log.ts'
import { Tasks } from '../../server/platform/tasks/index.ts'
import { FakeClock } from './fake-clock.ts'
import { freshDatabase } from './test-app.ts'

/** A database of its own, a clock that stands still, and as many engines on them as a test wants. */
export function taskKit() {
  const db = freshDatabase()
  const clock = new FakeClock()
  const logLines: string[] = []
  onTestFinished(() => db.close())
  return {
    db,
    clock,
    logLines,
    engine: () => {
      const tasks = new Tasks(db, clock, createLog('trace', { write: (line) => void logLines.push(line) }))
      onTestFinished(() => tasks.stop())
      return tasks
    },
    /** Instants as milliseconds from now. */
    rows: () => rowsOf(db, clock),
  }
}

interface Row {
  kind: string
  state: string
  error: string | null
  attempts: number
  due_at: string | null
}

const rowsOf = (db: Database, clock: FakeClock) =>
  (db.statement('SELECT kind, state, error, attempts, due_at FROM tasks ORDER BY seq').all() as Row[]).map(
    ({ due_at, ...row }) => ({ ...row, dueInMs: due_at === null ? null : Date.parse(due_at) - clock.now() }),
  )

/** A promise that a test waits for, or resolves. */
export const gate = () => Promise.withResolvers<void>()

/** Rejects when the signal aborts, as work that heeds it does. */
export const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
