import { expect, onTestFinished, test } from 'vitest'
import { Database } from '../../server/db/database.ts'
import { migrations } from '../../server/db/migrations/index.ts'
import { q } from '../../server/db/query.ts'

/** A database as the version before tasks left it. */
function before(fill: (db: Database) => void): Database {
  const db = new Database({ file: ':memory:' })
  onTestFinished(() => db.close())
  db.migrate(migrations.filter(({ name }) => name < '012'))
  fill(db)
  db.migrate()
  expect(db.check()).toEqual([])
  return db
}

const at = '2026-03-01T09:00:00.000Z'
const later = '2026-03-01T10:00:00.000Z'
const tasks = (db: Database) => db.all(q.selectFrom('tasks').selectAll().orderBy('seq'))

test('waiting effects of the outbox become tasks, in their order', () => {
  const db = before((old) => {
    const add = old.statement(
      `INSERT INTO outbox (kind, payload, attempts, next_attempt_at, last_error, created_at)
       VALUES (?, ?, ?, '${later}', 'Error: open-sesame', '${at}')`,
    )
    add.run('password-reset-wanted', '{"email":"ada@acme.test"}', 0)
    add.run('command.push', '{"deviceId":"d","commandId":"c"}', 3)
    add.run('audit', '{"task":"admin-shell"}', 0)
  })
  const waiting = { state: 'waiting', due_at: later, created_at: at, error: null, finished_at: null }
  expect(tasks(db)).toMatchObject([
    { ...waiting, kind: 'password-reset.answer', input: '{"email":"ada@acme.test"}', attempts: 0 },
    { ...waiting, kind: 'command.push', input: '{"deviceId":"d","commandId":"c"}', attempts: 3 },
    { ...waiting, kind: 'audit.write', input: '{"task":"admin-shell"}', attempts: 0 },
  ])
})

test('mail becomes tasks in the state it had: queued, sent, failed or expired', () => {
  const db = before((old) => {
    const add = old.statement(
      `INSERT INTO mail_messages
         (id, kind, recipient, data, status, attempts, next_attempt_at, last_error, expires_at, sent_at, created_at)
       VALUES (@status, 'password-reset', 'ada@acme.test', '{"name":"Ada","linkId":"l"}', @status, 2, @next, @error,
         '2026-03-02T09:00:00.000Z', @sent, @created)`,
    )
    const mail = { next: null, error: null, sent: null, created: at }
    add.run({ ...mail, status: 'sent', sent: later })
    add.run({ ...mail, status: 'queued', next: later, error: '451 Later', created: '2026-03-01T08:00:00.000Z' })
    add.run({ ...mail, status: 'failed', error: '550 No' })
    add.run({ ...mail, status: 'expired' })
  })
  const mail = { kind: 'mail.send', attempts: 2, deadline_at: '2026-03-02T09:00:00.000Z' }
  const over = { ...mail, due_at: null, finished_at: at, created_at: at }
  expect(tasks(db)).toMatchObject([
    { ...mail, id: 'queued', state: 'waiting', due_at: later, error: '451 Later', finished_at: null },
    { ...over, id: 'expired', state: 'expired', error: null },
    { ...over, id: 'failed', state: 'failed', error: '550 No' },
    { ...over, id: 'sent', state: 'completed', finished_at: later },
  ])
  const input = { kind: 'password-reset', to: 'ada@acme.test', data: { name: 'Ada', linkId: 'l' } }
  expect(tasks(db).map((task) => JSON.parse(task.input))).toEqual(Array(4).fill(input))
})

test('merges and erasures become tasks with their progress, and merges keep their undo rows', () => {
  const db = before((old) => {
    const add = old.statement(
      `INSERT INTO tenant_jobs (id, kind, org_id, partner_id, requested_by, state, input, progress, result,
         failed_reason, attempts, created_at, started_at, finished_at)
       VALUES (@id, @kind, 'org', 'acme', 'ada', @state, '{"survivorId":"oslo"}', @progress, @result,
         @reason, @attempts, @created, @started, @finished)`,
    )
    const job = { kind: 'merge', progress: '{}', result: null, reason: null, attempts: 1, created: at, finished: null }
    add.run({ ...job, id: 'waits', kind: 'erasure', state: 'waiting', attempts: 0, started: null })
    add.run({ ...job, id: 'runs', state: 'active', progress: '{"phase":"moving"}', started: at, created: '2026-02-01' })
    add.run({ ...job, id: 'done', state: 'completed', result: '{"tables":{}}', started: at, finished: later })
    add.run({ ...job, id: 'failed', state: 'failed', reason: 'performer_inactive', started: at, finished: later })
    old
      .statement(`INSERT INTO org_merge_undo (job_id, table_name, row_id, before) VALUES ('runs', 'sites', 's', '{}')`)
      .run()
  })
  const task = { key: 'partner acme', org_id: 'org', partner_id: 'acme', requested_by: 'ada' }
  const merge = { ...task, kind: 'organization.merge', input: '{"survivorId":"oslo"}' }
  expect(tasks(db)).toMatchObject([
    { ...merge, id: 'runs', state: 'waiting', attempts: 1, progress: '{"phase":"moving"}', due_at: '2026-02-01' },
    { ...merge, id: 'done', state: 'completed', result: '{"tables":{}}', progress: null, finished_at: later },
    { ...merge, id: 'failed', state: 'failed', error: 'performer_inactive', finished_at: later },
    { ...task, id: 'waits', kind: 'organization.erase', state: 'waiting', attempts: 0, due_at: at },
  ])
  const kept = db.all(q.selectFrom('org_merge_undo').selectAll())
  expect(kept).toEqual([{ seq: 1, job_id: 'runs', table_name: 'sites', row_id: 's', before: '{}', is_deleted: 0 }])
  // The undo rows are deleted with their task, as before.
  db.run(q.deleteFrom('tasks').where('id', '=', 'runs'))
  expect(db.all(q.selectFrom('org_merge_undo').selectAll())).toEqual([])
})
