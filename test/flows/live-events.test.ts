import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { logout, revokeOtherSessions } from '../../shared/api/auth.ts'
import { updateDevice } from '../../shared/api/devices.ts'
import type { GoodbyeReason, LiveEvent } from '../../shared/api/events.ts'
import { deletePasskey } from '../../shared/api/passkeys.ts'
import { changePassword } from '../../shared/api/passwords.ts'
import { updateSite } from '../../shared/api/sites.ts'
import { Authenticator } from '../helpers/authenticator.ts'
import { company, otherCompany, password, person, signIn } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { register, wide, withPasskey } from './passkey-kit.ts'

/** A live stream over a real socket. */
async function listen(app: TestApp, token: string, deviceId?: string) {
  if (!app.app.fastify.server.listening) await app.app.fastify.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.app.fastify.server.address() as AddressInfo
  const heard: LiveEvent[] = []
  const parser = createParser({ onEvent: ({ data }) => heard.push(JSON.parse(data) as LiveEvent) })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const query = deviceId ? `?deviceId=${deviceId}` : ''
    const headers = { authorization: `Bearer ${token}` }
    request({ host: '127.0.0.1', port, path: `/api/v1/events${query}`, headers }, resolve)
      .on('error', reject)
      .end()
  })
  const state = { status: response.statusCode, heard, isClosed: false, leave: () => response.destroy() }
  response.setEncoding('utf8').on('data', (text: string) => parser.feed(text))
  response
    .on('error', () => {})
    .on('close', () => {
      state.isClosed = true
    })
  if (state.status === 200) await expect.poll(() => heard).toHaveLength(1)
  return state
}

const rename = (app: TestApp, id: string, token: string) =>
  app.call(updateDevice, { params: { id }, body: { displayName: 'renamed' } }, { token })

test('a change of a device is sent only to its own company', async () => {
  await using app = await testApp()
  const { admin, device } = await company(app)
  const other = await otherCompany(app)
  const own = await listen(app, admin.token)
  const foreign = await listen(app, other.admin.token, device.deviceId)
  expect(own.heard[0]?.type).toBe('hello')
  await rename(app, device.deviceId, admin.token)
  await expect.poll(() => own.heard.some((event) => 'deviceId' in event)).toBe(true)
  expect(JSON.stringify(own.heard)).toContain(device.deviceId)
  expect(foreign.heard.map(({ type }) => type)).toEqual(['hello'])
  own.leave()
  foreign.leave()
})

type Ending = (app: TestApp, own: { userId: string; token: string }) => unknown

test.each<[what: string, reason: GoodbyeReason, end: Ending]>([
  ['signing out everywhere', 'signed-out-everywhere', (app, { token }) => app.call(logout, {}, { token })],
  ['signing out', 'signed-out', (app, { token }) => app.call(logout, { query: { reach: 'session' } }, { token })],
  [
    'another password',
    'password-changed',
    (app, { token }) =>
      app.call(changePassword, { body: { currentPassword: password, newPassword: 'Zwiebel-Turm-74-rot' } }, { token }),
  ],
  [
    'ending it from elsewhere',
    'session-ended',
    async (app) => {
      const elsewhere = await signIn(app, 'ada@acme.test')
      await app.call(revokeOtherSessions, {}, { token: elsewhere })
    },
  ],
  [
    'a status that changes',
    'changed',
    (app, { userId }) => app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('id', '=', userId)),
  ],
  [
    'a company that is suspended',
    'changed',
    (app) => app.db.run(q.updateTable('partners').set({ status: 'suspended' })),
  ],
  ['a role without devices', 'changed', (app) => app.db.run(q.deleteFrom('role_permissions'))],
])('%s ends the stream at once with a reason', async (_, reason, end) => {
  await using app = await testApp()
  const { admin } = await company(app)
  const colleague = await person(app, { email: 'c@x.test', scope: 'partner', partnerId: admin.partnerId })
  const stream = await listen(app, admin.token)
  const other = reason === 'changed' ? null : await listen(app, colleague.token)
  await end(app, admin)
  await expect.poll(() => stream.isClosed).toBe(true)
  expect(stream.heard.slice(1).filter(({ type }) => type !== 'audit.written')).toEqual([{ type: 'goodbye', reason }])
  expect(other?.isClosed ?? false, 'somebody else').toBe(false)
  other?.leave()
})

test('a session replaced by another ends its stream without a goodbye', async () => {
  await using app = await testApp({ env: wide })
  const { admin, passkey } = await withPasskey(app)
  const stream = await listen(app, admin.token)
  await register(app, admin.token, new Authenticator())
  const body = { currentPassword: password }
  await app.call(deletePasskey, { params: { id: passkey.id }, body }, { token: admin.token })
  await expect.poll(() => stream.isClosed).toBe(true)
  expect(stream.heard.map(({ type }) => type)).toEqual(['hello'])
})

test('a stream ends with its session after thirty days', async () => {
  await using app = await testApp()
  const { admin } = await company(app)
  const stream = await listen(app, admin.token)
  app.clock.advance(31 * 24 * 3_600_000)
  await app.app.jobs.runNow('connections.sweep')
  await expect.poll(() => stream.isClosed).toBe(true)
  expect(stream.heard.at(-1)).toEqual({ type: 'goodbye', reason: 'changed' })
})

test('a stream needs a session and the permission to read devices', async () => {
  await using app = await testApp()
  const { admin } = await company(app)
  const billing = await person(app, {
    email: 'b@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    role: 'Partner Billing',
  })
  expect((await listen(app, 'nobody')).status).toBe(401)
  expect((await listen(app, billing.token)).status).toBe(403)
})

test('an open stream does not keep the appliance from stopping', async () => {
  const app = await testApp()
  const { admin } = await company(app)
  const stream = await listen(app, admin.token)
  await app[Symbol.asyncDispose]()
  await expect.poll(() => stream.isClosed).toBe(true)
})

test('readers of the audit log are notified of new events in their own log, once for several', async () => {
  await using app = await testApp()
  const { admin, org, site } = await company(app)
  const { admin: stranger } = await otherCompany(app)
  const partner = { scope: 'partner', partnerId: admin.partnerId } as const
  const viewer = await person(app, { email: 'viewer@x.test', ...partner, role: 'Partner Viewer' })
  const elsewhere = await person(app, { email: 'none@x.test', ...partner, orgAccess: 'none' })
  const [own, foreign, unread, unseen] = await Promise.all(
    [admin, stranger, viewer, elsewhere].map(({ token }) => listen(app, token)),
  )
  // Waits until all earlier events have been sent and received.
  await pause(600)
  await pause(100)
  for (const stream of [own, foreign, unread, unseen]) stream?.heard.splice(0)
  await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      app.call(updateSite, { params: { id: site.id }, body: { name } }, { token: admin.token }),
    ),
  )
  const told = () => own?.heard.filter(({ type }) => type === 'audit.written').length
  await expect.poll(() => told()).toBe(1)
  await pause(300)
  expect([told(), foreign?.heard, unread?.heard, unseen?.heard]).toEqual([1, [], [], []])
  expect(JSON.stringify(own?.heard)).not.toContain(org.id)
  for (const stream of [own, foreign, unread, unseen]) stream?.leave()
})
