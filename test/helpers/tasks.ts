import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp } from './test-app.ts'

/** How many tasks wait or run, but for those of these kinds: mail waits for ever where no server is set up. */
export const openTasks = ({ db }: TestApp, ...but: string[]): number =>
  db
    .statement(`SELECT count(*) FROM tasks WHERE finished_at IS NULL AND kind NOT IN (SELECT value FROM json_each(?))`)
    .pluck()
    .get(JSON.stringify(but)) as number

/** Until a new snapshot was compared with those before it, or that was put off: rows are counted after it. */
export async function comparedSnapshots({ db }: Pick<TestApp, 'db'>): Promise<void> {
  const open = db.statement(
    `SELECT 1 FROM tasks WHERE kind = 'backup.compare' AND (state = 'active' OR state = 'waiting' AND attempts = 0)`,
  )
  while (open.get()) await sleep(2)
}
