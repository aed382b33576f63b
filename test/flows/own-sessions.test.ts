import { expect } from 'vitest'
import { authMe, listSessions, login, revokeOtherSessions, revokeSession } from '../../shared/api/auth.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, password, person } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf, CookieJar, refreshWith, signedInJar } from './kit.ts'

const listed = async (app: TestApp, token: string) => (await app.call(listSessions, {}, { token })).body.data
const revoke = (app: TestApp, token: string, id: string) => app.call(revokeSession, { params: { id } }, { token })
const statusOf = async (app: TestApp, token: string) => (await app.call(authMe, {}, { token })).status

test('a user sees their sessions, the current one marked, most recently used first', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  await person(app, { email: 'b@x.test', scope: 'partner', partnerId: admin.partnerId })
  app.clock.advance(1000)
  const phone = await app.call(
    login,
    { body: { email: admin.email, password } },
    { headers: { 'user-agent': 'Phone/1' }, remoteAddress: '10.0.0.7' },
  )
  const data = await listed(app, admin.token)
  expect(data).toMatchObject([
    { isCurrent: false, ipAddress: '10.0.0.7', userAgent: 'Phone/1', mfaSource: null },
    { isCurrent: true, ipAddress: '127.0.0.1' },
  ])
  const at = app.clock.now()
  expect(data[0]).toMatchObject({
    createdAt: new Date(at).toISOString(),
    lastUsedAt: new Date(at).toISOString(),
    expiresAt: new Date(at + 30 * 24 * 3_600_000).toISOString(),
  })
  app.clock.advance(1000)
  const own = await signedInJar(app, admin.email, password)
  app.clock.advance(1000)
  expect((await refreshWith(app, new CookieJar().take(phone))).status).toBe(200)
  expect((await listed(app, own.token)).map(({ userAgent }) => userAgent)[0]).toBe('Phone/1')
})

test('ending another session applies to its next request', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const other = await signedInJar(app, admin.email, password)
  const id = (await listed(app, other.token)).find(({ isCurrent }) => isCurrent)?.id as string
  expect(await statusOf(app, other.token)).toBe(200)
  const answer = await revoke(app, admin.token, id)
  expect([answer.status, answer.body, answer.cookies]).toEqual([200, { success: true }, []])
  expect([await statusOf(app, other.token), await statusOf(app, admin.token)]).toEqual([401, 200])
  expect((await refreshWith(app, other.jar)).status).toBe(401)
  expect((await listed(app, admin.token)).map((session) => session.id)).not.toContain(id)
  expect((await revoke(app, admin.token, id)).status).toBe(404)
  expect(auditOf(app, 'auth.session.revoke')).toMatchObject([{ resource_id: id, partner_id: admin.partnerId }])
})

test('ending the current session clears its cookies', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { jar, token } = await signedInJar(app, admin.email, password)
  const id = (await listed(app, token)).find(({ isCurrent }) => isCurrent)?.id as string
  expect(jar.take(await revoke(app, token, id)).ofSession).toEqual([])
  expect([await statusOf(app, token), await statusOf(app, admin.token)]).toEqual([401, 200])
})

test('the session of another user is not found', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const other = await person(app, { email: 'b@x.test', scope: 'partner', partnerId: admin.partnerId })
  const [foreign] = await listed(app, other.token)
  for (const id of [foreign?.id as string, 'nonsense']) {
    const { status, body } = await revoke(app, admin.token, id)
    expect([status, body.code]).toEqual([404, 'session_not_found'])
  }
  expect(await statusOf(app, other.token)).toBe(200)
})

test('ending all others keeps the current session and those of other users', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const others = [await signedInJar(app, admin.email, password), await signedInJar(app, admin.email, password)]
  const colleague = await person(app, { email: 'b@x.test', scope: 'partner', partnerId: admin.partnerId })
  const { body } = await app.call(revokeOtherSessions, {}, { token: admin.token })
  expect(body).toEqual({ success: true, revoked: 2 })
  for (const { token } of others) expect(await statusOf(app, token)).toBe(401)
  for (const token of [admin.token, colleague.token]) expect(await statusOf(app, token)).toBe(200)
  expect(await listed(app, admin.token)).toHaveLength(1)
  expect((await app.call(revokeOtherSessions, {}, { token: admin.token })).body.revoked).toBe(0)
})
