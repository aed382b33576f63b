import { afterAll, expect, test } from 'vitest'
import { commander } from '../helpers/commands.ts'
import { eventually } from '../helpers/eventually.ts'
import { company, enrolledDevice } from '../helpers/factories.ts'
import { type FakeDevice, fakeDevice } from '../helpers/fake-device.ts'
import { auditOf } from '../helpers/rows.ts'
import { openTasks } from '../helpers/tasks.ts'
import { testApp } from '../helpers/test-app.ts'

/** What a result may bring besides its output: as much as a frame of an agent holds. */

const app = await testApp()
const { admin, key } = await company(app)
const console = commander(app, admin.token)
afterAll(() => app[Symbol.asyncDispose]())

async function commandOf(name: string): Promise<{ device: FakeDevice; id: string }> {
  const device = fakeDevice(app, await enrolledDevice(app, key.key, name))
  const { body } = await console.script(device.deviceId, 'echo hi')
  await device.beat()
  return { device, id: body.id }
}

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))

test.each([
  ['a text that is too long', ['x'.repeat(5_000_001)], 'result: Must not be larger than 5000000 characters'],
  ['a name that is too long', { ['x'.repeat(5_000_001)]: 1 }, 'result: Must not be larger than 5000000 characters'],
  ['too many values', keys(20_001), 'Request body has more than 20000 values'],
])('a result with %s is refused, and the command stays open', async (name, result, error) => {
  const { device, id } = await commandOf(name)
  await eventually(() => expect(openTasks(app)).toBe(0))
  const before = [app.rowCounts(), auditOf(app, 'agent.command.result.submit').length]
  expect(await device.finish(id, { status: 'completed', result })).toMatchObject({ status: 400, body: { error } })
  expect(await console.read(device.deviceId, id)).toMatchObject({ status: 'sent', result: null })
  expect([app.rowCounts(), auditOf(app, 'agent.command.result.submit').length]).toEqual(before)
})

test.each([
  ['as many values as that', keys(19_000)],
  ['as long a text as that', ['x'.repeat(4_999_000)]],
])('a result just below the limit is accepted (%s)', async (name, result) => {
  const { device, id } = await commandOf(name)
  expect(await device.finish(id, { status: 'completed', result })).toMatchObject({ status: 200 })
  expect(await console.read(device.deviceId, id)).toMatchObject({ status: 'completed', result: { data: result } })
})
