import type { TestApp } from './test-app.ts'

/** How many tasks wait or run, but for those of these kinds: mail waits for ever where no server is set up. */
export const openTasks = ({ db }: TestApp, ...but: string[]): number =>
  db
    .statement(`SELECT count(*) FROM tasks WHERE finished_at IS NULL AND kind NOT IN (SELECT value FROM json_each(?))`)
    .pluck()
    .get(JSON.stringify(but)) as number
