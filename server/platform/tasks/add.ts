import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, iso } from '../clock.ts'
import type { NewTask } from './kind.ts'

/**
 * Inside the transaction of the change that needs it. Null when there is a task of that id which is not over. A process
 * without an engine, such as the administration shell, adds tasks with this: the appliance finds them within a minute.
 */
export function addTask<Input>(
  db: Database,
  clock: Clock,
  kind: string,
  task: NewTask<Input>,
  key: string | null = null,
): string | null {
  const { id = randomUUIDv7(), input, orgId, partnerId, requestedBy, delayMs = 0, deadlineMs } = task
  const now = clock.now()
  if (task.id !== undefined) {
    const before = db.first(q.selectFrom('tasks').select('finished_at').where('id', '=', id))
    if (before && before.finished_at === null) return null
    if (before) db.run(q.deleteFrom('tasks').where('id', '=', id))
  }
  db.run(
    q.insertInto('tasks').values({
      id,
      kind,
      key,
      org_id: orgId ?? null,
      partner_id: partnerId ?? null,
      requested_by: requestedBy ?? null,
      input: JSON.stringify(input),
      due_at: iso(now + delayMs),
      deadline_at: deadlineMs === undefined ? null : iso(now + deadlineMs),
      created_at: iso(now),
    }),
  )
  return id
}
