import type { Database } from '../db/database.ts'
import { systemActor } from './actor.ts'
import type { Audit, AuditEvent } from './audit.ts'
import { type Clock, isoNow } from './clock.ts'
import { silentLog } from './log.ts'
import { Outbox } from './outbox.ts'

const kind = 'audit'

interface Later {
  task: string
  event: AuditEvent
}

/**
 * For the administration shell, which may not have the key that seals the log: the appliance writes the event, within
 * a minute or at its next start. Joins the transaction of the change.
 */
export const auditLater = (db: Database, clock: Clock, task: string, event: AuditEvent): void =>
  new Outbox(db, clock, silentLog()).add(kind, { task, event: { ...event, timestamp: isoNow(clock) } } satisfies Later)

export const writeLateEvents = (outbox: Outbox, audit: Audit): void =>
  outbox.apply<Later>(kind, ({ task, event }) => audit(systemActor(task), event))
