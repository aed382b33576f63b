import { type Actor, systemActor } from '../../server/platform/actor.ts'
import { type AuditEvent, createAudit } from '../../server/platform/audit.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import type { TestApp } from './test-app.ts'

/** Writes into the log as the appliance does, by its clock; a millisecond passes after each event, which keeps them in order. */
export function writer({ db, clock, dataDir, config }: TestApp, actor: Actor = systemActor('test')) {
  const audit = createAudit(db, clock, openSecrets(dataDir, config.secrets))
  return (event: Partial<AuditEvent>) => {
    audit(actor, { action: 'test.done', resourceType: 'thing', ...event })
    clock.advance(1)
  }
}
