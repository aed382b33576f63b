import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createParser } from 'eventsource-parser'
import { expect, test, vi } from 'vitest'
import { logout } from '../../shared/api/auth.ts'
import { updateDevice } from '../../shared/api/devices.ts'
import type { LiveEvent } from '../../shared/api/events.ts'
import { company, otherCompany, person } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** A browser's stream over a real socket. */
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
  if (state.status === 200) await vi.waitFor(() => expect(heard).toHaveLength(1))
  return state
}

const rename = (app: TestApp, id: string, token: string) =>
  app.call(updateDevice, { params: { id }, body: { displayName: 'renamed' } }, { token })

test('a change of a device is told to its own company only', async () => {
  await using app = await testApp()
  const { admin, device } = await company(app)
  const other = await otherCompany(app)
  const own = await listen(app, admin.token)
  const foreign = await listen(app, other.admin.token, device.deviceId)
  expect(own.heard[0]?.type).toBe('hello')
  await rename(app, device.deviceId, admin.token)
  await vi.waitFor(() => expect(own.heard.some((event) => 'deviceId' in event)).toBe(true))
  expect(JSON.stringify(own.heard)).toContain(device.deviceId)
  expect(foreign.heard.map(({ type }) => type)).toEqual(['hello'])
  own.leave()
  foreign.leave()
})

test('signing out closes the stream when there is something to tell', async () => {
  await using app = await testApp()
  const { admin, device } = await company(app)
  const colleague = await person(app, { email: 'c@x.test', scope: 'partner', partnerId: admin.partnerId })
  const stream = await listen(app, admin.token)
  await app.call(logout, {}, { token: admin.token })
  await rename(app, device.deviceId, colleague.token)
  await vi.waitFor(() => expect(stream.isClosed).toBe(true))
  expect(stream.heard.map(({ type }) => type)).toEqual(['hello'])
})

test('a stream needs a session and the permission to see devices', async () => {
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

test('a stream does not keep the appliance from stopping', async () => {
  const app = await testApp()
  const { admin } = await company(app)
  const stream = await listen(app, admin.token)
  await app[Symbol.asyncDispose]()
  await vi.waitFor(() => expect(stream.isClosed).toBe(true))
})
