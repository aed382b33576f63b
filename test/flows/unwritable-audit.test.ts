import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { login } from '../../shared/api/auth.ts'
import { updateMe } from '../../shared/api/profile.ts'
import { bootstrapped, password } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'
import { auditOf } from './kit.ts'

test('an audit log that cannot be written fails no request and changes no answer', async () => {
  await using app = await testApp({ logs: true })
  const { email, token } = await bootstrapped(app)
  const before = auditOf(app).length
  app.db.statement("CREATE TRIGGER broken BEFORE INSERT ON audit_logs BEGIN SELECT RAISE(ABORT, 'broken'); END").run()
  const attempt = async (secret: string) => {
    const { status, body } = await app.call(login, { body: { email, password: secret } })
    return [status, body.code]
  }
  expect(await attempt(password)).toEqual([200, undefined])
  expect(await attempt('Wrong1234')).toEqual([401, 'invalid_credentials'])
  const renamed = await app.call(updateMe, { body: { name: 'Ada B' } }, { token })
  expect([renamed.status, renamed.body.name]).toEqual([200, 'Ada B'])
  expect(auditOf(app)).toHaveLength(before)
  const told = app.logLines.filter((line) => line.includes('An audit event could not be written'))
  expect(told.map((line) => (JSON.parse(line) as { action: string }).action)).toEqual([
    'user.login',
    'user.login.failed',
    'user.profile.update',
  ])
})

test('a full disk rolls back a change together with its event', async () => {
  await using app = await testApp()
  const { email, token, userId } = await bootstrapped(app)
  app.db.statement("CREATE TRIGGER full BEFORE INSERT ON audit_logs BEGIN SELECT RAISE(ROLLBACK, 'full'); END").run()
  const body = { name: 'Ada B', email: 'ada@elsewhere.test', currentPassword: password }
  expect((await app.call(updateMe, { body }, { token })).status).toBe(500)
  const user = app.db.first(q.selectFrom('users').selectAll().where('id', '=', userId))
  expect(user).toMatchObject({ name: 'Ada Admin', email, pending_email: null })
})
