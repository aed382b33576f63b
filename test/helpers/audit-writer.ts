import { type Actor, systemActor } from '../../server/platform/actor.ts'
import { type AuditEvent, createAudit } from '../../server/platform/audit.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import type { AuditAction } from '../../shared/audit-actions/index.ts'
import type { TestApp } from './test-app.ts'

/** Writes into the log as the appliance does, by its clock; a millisecond passes after each event, which keeps them in order. */
export function writer({ db, clock, dataDir, config }: TestApp, actor: Actor = systemActor('test')) {
  const audit = createAudit(db, clock, openSecrets(dataDir, config.secrets))
  // The log may hold actions of other versions, so any name will do.
  return ({ action = 'test.done', ...event }: Omit<Partial<AuditEvent>, 'action'> & { action?: string }) => {
    audit(actor, { action: action as AuditAction, resourceType: 'thing', ...event })
    clock.advance(1)
  }
}
