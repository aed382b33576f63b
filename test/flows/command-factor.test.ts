import { expect, test } from 'vitest'
import { mfaVerify } from '../../shared/api/auth.ts'
import { cancelCommand, queueCommand, runScript } from '../../shared/api/commands.ts'
import { contents } from '../contract/stage.ts'
import { commander } from '../helpers/commands.ts'
import { company } from '../helpers/factories.ts'
import { sessionOf } from '../helpers/sessions.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { codeOf, withFactor } from './kit.ts'

/** Who sends something to a device has shown a second factor in that session. */

const attempts = (app: TestApp, token: string, deviceId: string, commandId: string) => {
  const id = { id: deviceId }
  return [
    () => app.call(queueCommand, { params: id, body: { type: 'reboot' } }, { token }),
    () => app.call(runScript, { params: id, body: { language: 'bash', content: 'true' } }, { token }),
    () => app.call(cancelCommand, { params: { ...id, commandId } }, { token }),
  ]
}

test('nothing runs on a device, and nothing is canceled, without a second factor shown in the session', async () => {
  await using app = await testApp()
  const { admin, device } = await company(app)
  const waiting = (await commander(app, await sessionOf(app, admin.userId, 'totp')).queue(device.deviceId)).body.id
  const before = await contents(app)
  for (const attempt of attempts(app, admin.token, device.deviceId, waiting))
    expect(await attempt()).toMatchObject({ status: 403, body: { code: 'MFA_REQUIRED' } })
  expect(await contents(app)).toEqual(before)
})

test('a session that shows its factor later may go on, and its refused calls have left nothing behind', async () => {
  await using app = await testApp()
  const { admin, device } = await company(app)
  const { secret } = await withFactor(app, admin.token)
  // As after a sign-in through an identity provider that vouches for no factor.
  const token = await sessionOf(app, admin.userId)
  const [reboot, script] = attempts(app, token, device.deviceId, device.deviceId)
  expect((await reboot?.())?.status).toBe(403)
  expect((await script?.())?.status).toBe(403)
  expect((await app.call(mfaVerify, { body: { code: codeOf(app, secret) } }, { token })).status).toBe(200)
  expect((await reboot?.())?.status).toBe(201)
  expect((await script?.())?.status).toBe(201)
  expect(app.rowCounts().device_commands).toBe(2)
})

test('on an appliance that does without second factors, nobody is asked for one', async () => {
  await using app = await testApp({ env: { ENABLE_2FA: 'false' } })
  const { admin, device } = await company(app)
  const id = { id: device.deviceId }
  const { token } = admin
  const queued = await app.call(queueCommand, { params: id, body: { type: 'reboot' } }, { token })
  expect(queued.status).toBe(201)
  const [, script, cancel] = attempts(app, token, device.deviceId, queued.body.id)
  expect((await script?.())?.status).toBe(201)
  expect((await cancel?.())?.status).toBe(200)
})
