import { setTimeout as sleep } from 'node:timers/promises'
import { Database } from '../../server/db/database.ts'
import { systemClock } from '../../server/platform/clock.ts'
import { silentLog } from '../../server/platform/log.ts'
import { Tasks } from '../../server/platform/tasks/index.ts'

/** A process with one task that counts, for a test that kills it: `<database> <up to>`. */

const [file = '', upTo = ''] = process.argv.slice(2)
const db = new Database({ file })
const tasks = new Tasks(db, systemClock, silentLog())
const counts = tasks.register<{ upTo: number }, { at: number }>({
  name: 'count.up',
  description: 'Counts',
  concurrency: 1,
  keepMs: 60_000,
  run: async ({ input, progress }, context) => {
    for (let at = (progress?.at ?? 0) + 1; at <= input.upTo; at++) {
      db.transaction(() => {
        db.statement('INSERT INTO settings (name, value) VALUES (?, ?)').run(`row ${at}`, '{}')
        context.progress({ at })
      })
      await sleep(1)
    }
  },
})
counts.add({ id: 'count', input: { upTo: Number(upTo) } })
tasks.start()
