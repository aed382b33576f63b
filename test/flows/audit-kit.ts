import { AuditChains } from '../../server/platform/audit-chain.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import type { TestApp } from '../helpers/test-app.ts'

export const chainsOf = ({ db, dataDir, config }: TestApp) => new AuditChains(db, openSecrets(dataDir, config.secrets))

/** Changes the log as somebody with write access to the database file could. */
export function behindItsBack(app: TestApp, ...statements: string[]): void {
  for (const name of ['audit_logs_no_update', 'audit_logs_no_delete'])
    app.db.statement(`DROP TRIGGER IF EXISTS ${name}`).run()
  for (const statement of statements) app.db.statement(statement).run()
}

/** Many events of an organization at once, outside of its chain; `resourceName` is their number. */
export function bulk(app: TestApp, orgId: string, count: number, resourceType: string, text = ''): void {
  app.db
    .statement(
      `INSERT INTO audit_logs (id, org_id, timestamp, actor_type, actor_id, action, resource_type, resource_name, details,
         result, initiated_by, checksum)
       WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < @count)
       SELECT lower(printf('%s-0000-4000-8000-%012x', substr(hex(randomblob(4)), 1, 8), n)), @orgId,
         '2026-02-01T00:00:00.000Z', 'system', '00000000-0000-0000-0000-000000000000', iif(n <= 10, 'device.update', 'test.done'),
         @resourceType, n, json_object('text', @text), 'success', 'automation', '' FROM number`,
    )
    .run({ orgId, count, resourceType, text })
}
