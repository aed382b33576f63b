import { afterAll, expect, test } from 'vitest'
import { commander, commandOf, insertCommand } from '../helpers/commands.ts'
import { company } from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** When the server gives up on commands, and what comes after it has. */

async function scene(app: TestApp) {
  const { admin, device, org } = await company(app)
  return {
    org,
    device: fakeDevice(app, device),
    console: commander(app, admin.token),
    minutes: (n: number) => app.clock.advance(n * 60_000),
    expire: () => app.app.jobs.runNow('commands.expire'),
  }
}

test('a command that was sent and never answered ends as a server-side timeout, and is not sent again', async () => {
  await using app = await testApp()
  const { device, console, minutes, expire } = await scene(app)
  const { body: script } = await console.script(device.deviceId, 'sleep 1', 60)
  const other = insertCommand(app, device.deviceId, { type: 'collect_software' })
  const quick = insertCommand(app, device.deviceId)
  expect((await device.beat()).body.commands).toHaveLength(3)
  minutes(5)
  await expire()
  expect(commandOf(app, quick).status, 'not before the deadline').toBe('sent')
  app.clock.advance(1)
  await expire()
  expect(commandOf(app, quick)).toMatchObject({
    status: 'failed',
    result: { status: 'timeout', error: 'Server-side timeout: no response from agent after 5 minutes' },
  })
  expect(commandOf(app, script.id).status, 'its own minute and five more').toBe('sent')
  minutes(1)
  await expire()
  expect(commandOf(app, script.id).status).toBe('failed')
  minutes(24)
  await expire()
  expect(commandOf(app, other).result?.error).toMatch('after 30 minutes')
  expect((await device.beat()).body.commands).toEqual([])
  expect(auditOf(app, 'agent.command.timeout').map(({ details }) => details.commandId)).toEqual([
    quick,
    script.id,
    other,
  ])
})

test('a command no device fetched expires: in half an hour, or in a day when it is meant to wait', async () => {
  await using app = await testApp()
  const { device, console, minutes, expire } = await scene(app)
  const short = insertCommand(app, device.deviceId, { type: 'collect_software' })
  const { body: reboot } = await console.queue(device.deviceId, 'reboot')
  minutes(30)
  app.clock.advance(1)
  await expire()
  expect(commandOf(app, short)).toMatchObject({
    status: 'failed',
    result: { status: 'timeout', error: 'Command expired: agent never received the command (30 min timeout)' },
  })
  minutes(23 * 60)
  await expire()
  expect(commandOf(app, reboot.id).status).toBe('pending')
  minutes(30)
  expect((await device.beat()).body.commands, 'what has expired is not delivered either').toEqual([])
  await expire()
  expect(commandOf(app, reboot.id)).toMatchObject({
    status: 'failed',
    result: { error: 'Command expired: agent never received the command (1440 min timeout)' },
  })
})

test('a script expires after its own delivery time, and is not delivered after that', async () => {
  await using app = await testApp()
  const { device, console, minutes, expire } = await scene(app)
  const { body: script } = await console.script(device.deviceId, 'sleep 1', 60)
  expect(Date.parse(`${script.expiresAt}`)).toBe(app.clock.now() + 6 * 60_000)
  minutes(6)
  expect((await device.beat()).body.commands).toEqual([])
  app.clock.advance(1)
  await expire()
  expect(commandOf(app, script.id)).toMatchObject({
    status: 'failed',
    result: { status: 'timeout', error: 'Command expired: agent never received the command (6 min timeout)' },
  })
})

/** For the tests that look at one command only. */
const shared = testApp().then(async (app) => ({ app, ...(await scene(app)) }))
afterAll(async () => (await shared).app[Symbol.asyncDispose]())

test.each([
  ['file_list', 5],
  ['notify_user', 30],
  ['bmr_recover', 60],
  ['install_patches', 120],
  ['software_install', 7 * 24 * 60],
])('a sent %s command times out after %i minutes', async (type, patience) => {
  const { app, device, minutes, expire } = await shared
  const id = insertCommand(app, device.deviceId, { type })
  await device.beat()
  minutes(patience)
  await expire()
  expect(commandOf(app, id).status).toBe('sent')
  app.clock.advance(1)
  await expire()
  expect(commandOf(app, id).status).toBe('failed')
})

test("a late result replaces the server's own timeout, once", async () => {
  await using app = await testApp()
  const { device, minutes, expire } = await scene(app)
  const id = insertCommand(app, device.deviceId)
  await device.beat()
  minutes(6)
  await expire()
  expect(commandOf(app, id).status).toBe('failed')
  expect((await device.finish(id, { status: 'completed', stdout: 'after all' })).status).toBe(200)
  const late = commandOf(app, id)
  expect(late).toMatchObject({ status: 'completed', result: { stdout: 'after all' } })
  await device.finish(id, { status: 'failed', error: 'again' })
  expect(commandOf(app, id)).toEqual(late)
})

test('a removal does not expire while its tenant drains, and expires elsewhere', async () => {
  await using app = await testApp()
  const { org, device, minutes, expire } = await scene(app)
  const removal = insertCommand(app, device.deviceId, { type: 'self_uninstall' })
  setOrganization(app, org.id, { status: 'offboarding' })
  minutes(60)
  await expire()
  expect(commandOf(app, removal).status).toBe('pending')
  setOrganization(app, org.id, { status: 'active' })
  await expire()
  expect(commandOf(app, removal).status).toBe('failed')
})
