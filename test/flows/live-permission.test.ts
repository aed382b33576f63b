import { once } from 'node:events'
import { type IncomingMessage, request as send } from 'node:http'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { updateDevice } from '../../shared/api/devices.ts'
import { assignRole } from '../../shared/api/people.ts'
import { createRole, type RoleDetail, updateRole } from '../../shared/api/roles.ts'
import type { BodyOf } from '../../shared/endpoint.ts'
import { company, holdings, organizationOf, otherCompany, person } from '../helpers/factories.ts'
import { listening } from '../helpers/fake-device.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { testApp } from '../helpers/test-app.ts'
import { give, grants, roleScene } from './role-kit.ts'

test('a stream ends when its user loses the permission to read devices', async () => {
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

/** A user whose role inherits from another, their stream, and a device they see. */
async function listenerScene(place: 'company' | 'organization') {
  const scene = await roleScene()
  const { app, admin, make, holder } = scene
  const { org, site, device } = await holdings(app, admin.token, 'Munich')
  const orgId = place === 'organization' ? org.id : undefined
  const parent = await make({ orgId, name: 'Parent', permissions: grants('scripts:read') })
  const permissions = grants('devices:read', 'devices:write')
  const role = await make({ orgId, name: 'Own', permissions, parentRoleId: parent.id })
  const who = await holder(role)
  const asAdmin = { token: admin.token }
  const rename = (displayName: string) =>
    app.call(updateDevice, { params: { id: device.deviceId }, body: { displayName } }, asAdmin)
  const edit = async ({ id }: Pick<RoleDetail, 'id'>, body: BodyOf<typeof updateRole>) =>
    expect((await app.call(updateRole, { params: { id }, body }, asAdmin)).status).toBe(200)
  const assign = async (body: Partial<BodyOf<typeof assignRole>>, id = who.id) => {
    const query = orgId ? ({ ownerScope: 'organization', orgId } as const) : {}
    const call = { params: { id }, query, body: { roleId: role.id, ...body } }
    expect((await app.call(assignRole, call, asAdmin)).status).toBe(200)
  }
  const stream = await liveStream(await listening(app), who.token)
  return { ...scene, org, site, parent, permissions, role, who, rename, edit, assign, stream }
}
type ListenerScene = Awaited<ReturnType<typeof listenerScene>>
type Change = [what: string, place: 'company' | 'organization', make: (scene: ListenerScene) => Promise<unknown>]

test.each<Change>([
  ['their role loses a permission', 'company', ({ edit, role }) => edit(role, { permissions: grants('devices:read') })],
  [
    'their role gains one',
    'company',
    ({ edit, role, permissions }) => edit(role, { permissions: [...permissions, ...grants('audit:read')] }),
  ],
  ['the role above it changes', 'company', ({ edit, parent }) => edit(parent, { permissions: grants('sites:read') })],
  ['their role is let go by the one above it', 'company', ({ edit, role }) => edit(role, { parentRoleId: null })],
  [
    'they get another role that permits the same',
    'company',
    async ({ assign, make, permissions, parent }) =>
      assign({ roleId: (await make({ name: 'Twin', permissions, parentRoleId: parent.id })).id }),
  ],
  [
    'they are left a few organizations',
    'company',
    async ({ assign, app, admin }) =>
      assign({ orgAccess: 'selected', orgIds: [(await organizationOf(app, admin.token, 'Left')).id] }),
  ],
  ['they are left no site', 'organization', ({ assign }) => assign({ siteIds: [] })],
  ['they are confined to the site there is', 'organization', ({ assign, site }) => assign({ siteIds: [site.id] })],
])('a stream ends with `changed` and sends nothing more when %s', async (_, place, change) => {
  await using scene = await listenerScene(place)
  using stream = scene.stream
  await change(scene)
  await scene.rename('after')
  expect(await stream.event(({ type }) => type !== 'hello')).toEqual({ type: 'goodbye', reason: 'changed' })
  await expect(stream.event(() => false)).rejects.toThrow('the stream ended')
  expect(stream.events).toHaveLength(2)
})

test.each<Change>([
  ['the role of somebody else changes', 'company', async ({ edit, make }) => edit(await make(), { permissions: [] })],
  [
    'somebody else is narrowed',
    'company',
    async ({ assign, holder, role }) => assign({ orgAccess: 'none' }, (await holder(role)).id),
  ],
  [
    'their role is saved as it was, and has as its own what it inherits',
    'company',
    ({ edit, role, permissions }) => edit(role, { permissions: [...permissions, ...grants('scripts:read')] }),
  ],
  ['another company comes to the box', 'company', ({ app }) => otherCompany(app)],
  ['another organization is made', 'organization', ({ app, admin }) => organizationOf(app, admin.token, 'New')],
])('a stream continues when %s', async (_, place, change) => {
  await using scene = await listenerScene(place)
  using stream = scene.stream
  await change(scene)
  await scene.rename('after')
  await stream.event(({ type }) => type === 'device.changed')
  expect(stream.events.some(({ type }) => type === 'goodbye')).toBe(false)
})

test('a permission lost while the body of a call is arriving cannot be used by that call', async () => {
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
