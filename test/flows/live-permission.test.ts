import { once } from 'node:events'
import { type IncomingMessage, request as send } from 'node:http'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/identity/index.ts'
import { updateDevice } from '../../shared/api/devices.ts'
import { createRole } from '../../shared/api/roles.ts'
import { company, person } from '../helpers/factories.ts'
import { listening } from '../helpers/fake-device.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { testApp } from '../helpers/test-app.ts'
import { give, grants, roleScene } from './role-kit.ts'

test('a stream ends for whoever may no longer read devices', async () => {
  await using app = await testApp()
  const { admin, device } = await company(app)
  const colleague = await person(app, {
    email: 'c@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    role: 'Partner Viewer',
  })
  using stream = await liveStream(await listening(app), colleague.token)
  const rename = (displayName: string) =>
    app.call(updateDevice, { params: { id: device.deviceId }, body: { displayName } }, { token: admin.token })
  await rename('before')
  await stream.event(({ type }) => type === 'device.changed')
  const role = findBuiltInRole(app.db, 'Partner Viewer', 'partner') as string
  app.db.run(q.deleteFrom('role_permissions').where('role_id', '=', role))
  const heard = stream.events.length
  await rename('after')
  await expect(stream.event(() => false)).rejects.toThrow('the stream ended')
  expect(stream.events.slice(heard)).toEqual([{ type: 'goodbye', reason: 'changed' }])
})

test('whoever lost a permission while the body of their call was on its way can not use it any more', async () => {
  await using scene = await roleScene()
  const { app, make, manager } = scene
  const url = `${await listening(app)}/api/v1${createRole.path}`
  const late = async (change: (userId: string) => void) => {
    const who = await manager('scripts:execute')
    const body = JSON.stringify({ name: 'Late', permissions: grants('scripts:execute') })
    const headers = { authorization: `Bearer ${who.token}`, 'content-type': 'application/json' }
    const call = send(url, { method: 'POST', headers: { ...headers, expect: '100-continue' } })
    call.flushHeaders()
    await once(call, 'continue')
    change(who.id)
    call.end(body)
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    answer.resume()
    return answer.statusCode
  }
  const nobody = await make({ permissions: grants('users:read') })
  const weaker = await make({ permissions: grants('users:read', 'users:write') })
  expect(await late(() => {})).toBe(201)
  expect(await late((id) => give(app, id, nobody.id))).toBe(403)
  expect(await late((id) => give(app, id, weaker.id))).toBe(403)
  expect(await late((id) => app.db.run(q.deleteFrom('partner_users').where('user_id', '=', id)))).toBe(401)
})
