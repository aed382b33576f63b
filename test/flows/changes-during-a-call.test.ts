import sharp from 'sharp'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { listSessions, revokeSession } from '../../shared/api/auth.ts'
import { mfaEnable, mfaSetup } from '../../shared/api/mfa.ts'
import { updateMe } from '../../shared/api/profile.ts'
import { bootstrapped, password, signIn } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { formWith } from '../helpers/upload.ts'
import { codeOf, whileJudged } from './kit.ts'

// While a password is checked, the account or the session may change; the call must respect the change.
const userOf = (app: TestApp, id: string) => app.db.first(q.selectFrom('users').selectAll().where('id', '=', id))

test('a session that ends while it enrols a factor does not enrol it', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const elsewhere = await signIn(app, admin.email)
  const { body: setup } = await app.call(mfaSetup, {}, { token: admin.token })
  const sessions = (await app.call(listSessions, {}, { token: admin.token })).body.data
  const id = sessions.find(({ isCurrent }) => isCurrent)?.id as string
  const body = { code: codeOf(app, setup.secret), currentPassword: password }
  const { status } = await whileJudged(
    app,
    admin.userId,
    () => app.call(mfaEnable, { body }, { token: admin.token }),
    async () => expect((await app.call(revokeSession, { params: { id } }, { token: elsewhere })).status).toBe(200),
  )
  expect([status, userOf(app, admin.userId)?.mfa_enabled]).toEqual([401, 0])
})

test.each([{ auth_epoch: 2 }, { mfa_epoch: 2 }, { status: 'disabled' as const }])(
  'an account that changes during an address change keeps its address: %o',
  async (change) => {
    await using app = await testApp()
    const admin = await bootstrapped(app)
    const body = { email: 'away@x.test', currentPassword: password }
    const { status } = await whileJudged(
      app,
      admin.userId,
      () => app.call(updateMe, { body }, { token: admin.token }),
      () => app.db.run(q.updateTable('users').set(change).where('id', '=', admin.userId)),
    )
    expect([status, userOf(app, admin.userId)?.pending_email]).toEqual([401, null])
  },
)

test('an account disabled while its picture is resized gets no picture', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const large = await sharp({ create: { width: 7000, height: 7000, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const { payload, headers } = formWith(large)
  const authorization = `Bearer ${admin.token}`
  const answer = app.inject({
    method: 'POST',
    url: '/api/v1/users/me/avatar',
    payload,
    headers: { ...headers, authorization },
  })
  await expect.poll(() => sharp.counters().process, { interval: 1 }).toBeGreaterThan(0)
  app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('id', '=', admin.userId))
  const { statusCode } = await answer
  expect([statusCode, userOf(app, admin.userId)?.avatar_url]).toEqual([401, null])
})
