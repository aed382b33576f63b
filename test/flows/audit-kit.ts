import type { Actor } from '../../server/platform/actor.ts'
import { systemActor } from '../../server/platform/actor.ts'
import type { AuditEvent } from '../../server/platform/audit.ts'
import { createAudit } from '../../server/platform/audit.ts'
import { AuditChains } from '../../server/platform/audit-chain.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import type { TestApp } from '../helpers/test-app.ts'

const secretsOf = (app: TestApp) => openSecrets(app.dataDir, app.config.secrets)

/** Writes into the log as the appliance does, by its clock. */
export function writer(app: TestApp, actor: Actor = systemActor('test')) {
  const audit = createAudit(app.db, app.clock, secretsOf(app))
  return (event: Partial<AuditEvent>) => audit(actor, { action: 'test.done', resourceType: 'thing', ...event })
}

export const chainsOf = (app: TestApp) => new AuditChains(app.db, secretsOf(app))

/** As somebody would who can write to the file. */
export function behindItsBack(app: TestApp, ...statements: string[]): void {
  for (const name of ['audit_logs_no_update', 'audit_logs_no_delete'])
    app.db.statement(`DROP TRIGGER IF EXISTS ${name}`).run()
  for (const statement of statements) app.db.statement(statement).run()
}
