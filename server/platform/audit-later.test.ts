import { expect, onTestFinished, test } from 'vitest'
import { FakeClock } from '../../test/helpers/fake-clock.ts'
import { testSeal } from '../../test/helpers/seal.ts'
import { freshDatabase } from '../../test/helpers/test-app.ts'
import { q } from '../db/query.ts'
import { type AuditEvent, createAudit } from './audit.ts'
import { auditLater, writeLateEvents } from './audit-later.ts'
import { hour, isoNow } from './clock.ts'
import { silentLog } from './log.ts'
import { Tasks } from './tasks/index.ts'

test('an audit event queued by the administration shell is written once, with the time at which it was queued', async () => {
  const db = freshDatabase()
  const clock = new FakeClock()
  const tasks = new Tasks(db, clock, silentLog())
  onTestFinished(async () => {
    await tasks.stop()
    db.close()
  })
  writeLateEvents(tasks, createAudit(db, clock, testSeal))
  const event: AuditEvent = {
    action: 'user.create',
    resourceType: 'user',
    resourceId: 'u',
    details: { scope: 'system' },
  }
  db.transaction(() => auditLater(db, clock, 'admin-shell', event))
  const timestamp = isoNow(clock)
  clock.advance(hour)
  tasks.start()
  const waiting = db.statement('SELECT count(*) FROM tasks').pluck()
  await expect.poll(() => waiting.get()).toBe(0)
  expect(db.all(q.selectFrom('audit_logs').selectAll())).toMatchObject([
    { action: 'user.create', resource_id: 'u', timestamp, actor_type: 'system', details: '{"scope":"system"}' },
  ])
})
