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

test('effects that wait in the outbox are had by the new version, in their order', () => {
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

test('mail stays what it is: what waits is sent, what was sent and what has failed is still told of', () => {
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
