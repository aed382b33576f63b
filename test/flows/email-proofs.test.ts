import { expect, test } from 'vitest'
import { Database } from '../../server/db/database.ts'
import { migrations } from '../../server/db/migrations/index.ts'
import { q } from '../../server/db/query.ts'

test('an upgrade does not take an invitation link handed over by an earlier version as proof of the mailbox', () => {
  const db = new Database({ file: ':memory:' })
  const at = '2026-01-01T00:00:00.000Z'
  db.migrate(migrations.filter(({ name }) => name < '011'))
  const events = {
    founder: [],
    invited: ['user.invite.accepted', 'user.password.set'],
    confirmed: ['user.invite.accepted', 'auth.email_verified'],
    moved: ['user.invite.accepted', 'auth.email.change.committed'],
  }
  let seq = 0
  for (const [id, actions] of Object.entries(events)) {
    const stamps = { email_verified_at: at, created_at: at, updated_at: at }
    db.run(q.insertInto('users').values({ id, email: `${id}@x.test`, name: id, status: 'active', ...stamps }))
    for (const action of actions)
      db.statement(
        `INSERT INTO audit_logs (id, seq, timestamp, actor_type, actor_id, action, resource_type, resource_id, result, initiated_by, checksum)
         VALUES (?, ?, ?, 'user', ?, ?, 'user', ?, 'success', 'manual', ?)`,
      ).run(`${id}-${action}`, ++seq, at, id, action, id, `${seq}`)
  }
  db.migrate()
  const proved = db.all(q.selectFrom('users').select('id').where('email_verified_at', 'is not', null).orderBy('id'))
  expect(proved.map(({ id }) => id)).toEqual(['confirmed', 'founder', 'moved'])
  db.close()
})
