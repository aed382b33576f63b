import type { Database } from '../db/database.ts'
import { systemActor } from './actor.ts'
import type { Audit, AuditEvent } from './audit.ts'
import { type Clock, isoNow } from './clock.ts'
import { addTask, type Tasks } from './tasks/index.ts'

const kind = 'audit.write'

interface Later {
  task: string
  event: AuditEvent
}

/**
 * For the administration shell, which may not have the key that seals the log: the appliance writes the event, within
 * a minute or at its next start. Joins the transaction of the change.
 */
export function auditLater(db: Database, clock: Clock, task: string, event: AuditEvent): void {
  const input: Later = { task, event: { ...event, timestamp: isoNow(clock) } }
  addTask(db, clock, kind, { input })
}

export function writeLateEvents(tasks: Tasks, audit: Audit): void {
  tasks.register<Later>({
    name: kind,
    description: 'Writes an audit event of the admin command line',
    keepMs: 0,
    byHand: ['retry'],
    write: ({ task, event }) => audit(systemActor(task), event),
  })
}
