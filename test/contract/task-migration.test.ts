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
