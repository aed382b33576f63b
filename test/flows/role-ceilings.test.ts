import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { assertHolds } from '../../server/features/access/roles/grant-rules.ts'
import { toJson } from '../../server/lib/json.ts'
import { listDevices } from '../../shared/api/devices.ts'
import { listOrganizations } from '../../shared/api/organizations.ts'
import { assignRole, listUserRoles } from '../../shared/api/people.ts'
import { usersMe } from '../../shared/api/profile.ts'
import {
  cloneRole,
  createRole,
  deleteRole,
  effectivePermissions,
  type RoleDetail,
  readRole,
  updateRole,
} from '../../shared/api/roles.ts'
import { listSites } from '../../shared/api/sites.ts'
import { allPermissions, type Grant, type Permission } from '../../shared/permissions.ts'
import { member, person, siteOf } from '../helpers/factories.ts'
import { auditOf } from '../helpers/rows.ts'
import { withFactor } from './kit.ts'
import { give, grantDirectly, grants, namesOf, refusal, roleScene } from './role-kit.ts'

test('a role inherits the permissions of all roles above it', async () => {
  await using scene = await roleScene()
  const { app, make, holder } = scene
  const top = await make({ permissions: grants('sites:read') })
  const child = await make({ parentRoleId: top.id })
  const grandchild = await make({ parentRoleId: child.id })
  for (const role of [top, child, grandchild]) {
    const { token } = await holder(role)
    expect((await app.call(listSites, {}, { token })).status).toBe(200)
    expect((await app.call(usersMe, {}, { token })).body.permissions).toEqual(grants('sites:read'))
    expect((await app.call(listOrganizations, {}, { token })).status).toBe(403)
  }
})

test('a change of a role applies to users of inheriting roles with their next request', async () => {
  await using scene = await roleScene()
  const { app, admin, make, holder } = scene
  const top = await make({ permissions: grants('sites:read') })
  const middle = await make({ parentRoleId: top.id })
  const low = await make({ parentRoleId: middle.id })
  const { token } = await holder(low)
  const sites = async () => (await app.call(listSites, {}, { token })).status
  const change = (id: string, body: object) => app.call(updateRole, { params: { id }, body }, admin)
  expect(await sites()).toBe(200)
  await change(top.id, { permissions: [] })
  expect(await sites()).toBe(403)
  await change(top.id, { permissions: grants('sites:read') })
  expect(await sites()).toBe(200)
  await change(middle.id, { parentRoleId: null })
  expect(await sites()).toBe(403)
  await change(middle.id, { parentRoleId: top.id })
  expect(await sites()).toBe(200)
})

test('another role applies with the next request of the same token', async () => {
  await using scene = await roleScene()
  const { app, make, holder } = scene
  const [reader, nobody] = [await make({ permissions: grants('sites:read') }), await make()]
  const { id, token } = await holder(reader)
  expect((await app.call(listSites, {}, { token })).status).toBe(200)
  give(app, id, nobody.id)
  expect(refusal(await app.call(listSites, {}, { token }))).toEqual([403, 'no_permissions'])
  give(app, id, reader.id)
  expect((await app.call(listSites, {}, { token })).status).toBe(200)
})

test('a caller cannot create, change, copy or inherit a role with permissions they do not hold', async () => {
  await using scene = await roleScene()
  const { app, make, manager } = scene
  const { token } = await manager('devices:read')
  const runner = await make({ name: 'Runner', permissions: grants('scripts:execute') })
  const heir = await make({ name: 'Heir', parentRoleId: runner.id })
  const plain = await make({ name: 'Plain', permissions: grants('devices:read') })
  const parent = await make({ name: 'Parent' })
  await make({ name: 'Below', parentRoleId: parent.id })
  const wanted = grants('devices:read', 'scripts:execute')
  const patch = (id: string, body: object) => app.call(updateRole, { params: { id }, body }, { token })
  const attempts = [
    await app.call(createRole, { body: { name: 'x', permissions: wanted } }, { token }),
    await app.call(createRole, { body: { name: 'x', parentRoleId: runner.id } }, { token }),
    await app.call(createRole, { body: { name: 'x', parentRoleId: heir.id } }, { token }),
    await app.call(cloneRole, { params: { id: runner.id }, body: { name: 'x' } }, { token }),
    await app.call(cloneRole, { params: { id: heir.id }, body: { name: 'x' } }, { token }),
    await patch(plain.id, { permissions: wanted }),
    await patch(plain.id, { parentRoleId: heir.id }),
    await patch(parent.id, { permissions: wanted }),
    await patch(parent.id, { parentRoleId: runner.id }),
  ]
  for (const { status, body } of attempts)
    expect([status, body.code, body.requiredPermission]).toEqual([403, 'permission_not_held', 'scripts:execute'])
  // A more powerful role may be renamed and reduced, but not extended by what the caller does not hold.
  expect((await patch(runner.id, { name: 'Renamed' })).status).toBe(200)
  expect((await patch(runner.id, { permissions: wanted })).status).toBe(403)
  expect((await patch(runner.id, { permissions: grants('devices:read') })).status).toBe(200)
})

test('a caller cannot assign a role with permissions they do not hold', async () => {
  await using scene = await roleScene()
  const { app, make, manager, holder } = scene
  const { token } = await manager('devices:read')
  const runner = await make({ name: 'Runner', permissions: grants('scripts:execute') })
  const heir = await make({ name: 'Heir', parentRoleId: runner.id })
  const plain = await make({ name: 'Plain', permissions: grants('devices:read') })
  const who = await holder(plain)
  const assign = (roleId: string) => app.call(assignRole, { params: { id: who.id }, body: { roleId } }, { token })
  for (const { id } of [runner, heir]) expect(refusal(await assign(id))).toEqual([403, 'permission_not_held'])
  const admins = findBuiltInRole(app.db, 'Partner Admin', 'partner') as string
  expect((await assign(admins)).status).toBe(403)
  expect((await assign(plain.id)).status).toBe(200)
})

test('the list of roles tells which of them the caller may assign', async () => {
  await using scene = await roleScene()
  const { app, admin, make, manager, holder } = scene
  const ofDevices = ['devices:read', 'devices:write', 'devices:delete', 'devices:execute'] as const
  const fine = await make({ name: 'Fine', permissions: grants(...ofDevices) })
  const runner = await make({ name: 'Runner', permissions: grants('scripts:execute') })
  await make({ name: 'Heir', parentRoleId: (await make({ name: 'Between', parentRoleId: runner.id })).id })
  const old = await make({ name: 'Old' })
  await make({ name: 'Heir of old', parentRoleId: old.id })
  grantDirectly(app, old.id, { resource: 'devices', action: '*' })
  const who = await holder(fine)
  for (const { token } of [admin, await manager(...ofDevices)]) {
    const roles = (await app.call(listUserRoles, {}, { token })).body.data
    expect(new Set(roles.map(({ isAssignable }) => isAssignable))).toEqual(new Set([true, false]))
    for (const { id, name, isAssignable } of roles) {
      give(app, who.id, fine.id)
      const attempt = await app.call(assignRole, { params: { id: who.id }, body: { roleId: id } }, { token })
      expect(attempt.status === 200, name).toBe(isAssignable)
    }
  }
})

test('a role deleted while it is being assigned is either assigned or gone', async () => {
  await using scene = await roleScene()
  const { app, admin, make, holder } = scene
  const who = await holder(await make())
  for (let round = 0; round < 10; round++) {
    const { id } = await make()
    const calls = [
      () => app.call(deleteRole, { params: { id } }, admin),
      () => app.call(assignRole, { params: { id: who.id }, body: { roleId: id } }, admin),
    ]
    const order = round % 2 ? calls : calls.toReversed()
    const [first, second] = await Promise.all(order.map((call) => call()))
    const statuses = [first?.status, second?.status]
    expect(
      statuses.filter((status) => status === 200),
      JSON.stringify(statuses),
    ).toHaveLength(1)
    const { status } = await app.call(usersMe, {}, who)
    expect(status).toBe(200)
  }
})

test('a user cannot extend their own permissions by their role, one above it or a copy', async () => {
  await using scene = await roleScene()
  const { app, admin, make, holder } = scene
  const above = await make({ name: 'Above', permissions: grants('users:read', 'users:write') })
  const own = await make({ name: 'Own', parentRoleId: above.id })
  const { token } = await holder(own)
  const held = async () => (await app.call(usersMe, {}, { token })).body.permissions
  const before = await held()
  for (const id of [own.id, above.id])
    for (const permissions of [grants('devices:read'), grants('*:*'), grants('devices:*')])
      expect((await app.call(updateRole, { params: { id }, body: { permissions } }, { token })).status).toBe(403)
  const admins = findBuiltInRole(app.db, 'Partner Admin', 'partner') as string
  for (const id of [own.id, above.id])
    expect((await app.call(updateRole, { params: { id }, body: { parentRoleId: admins } }, { token })).status).toBe(403)
  expect(refusal(await app.call(cloneRole, { params: { id: admins }, body: { name: 'x' } }, { token }))[0]).toBe(403)
  expect(await held()).toEqual(before)
  // An inherited permission may also be added directly, so that it survives the loss of the parent.
  const keep = {
    params: { id: own.id },
    body: { permissions: grants('users:read', 'users:write'), parentRoleId: null },
  }
  expect((await app.call(updateRole, keep, { token })).status).toBe(200)
  expect(await held()).toEqual(before)
  expect((await app.call(deleteRole, { params: { id: above.id } }, admin)).status).toBe(200)
})

test('a custom role cannot hold a wildcard or an unknown permission, not even by inheritance', async () => {
  await using scene = await roleScene()
  const { app, admin, org, make } = scene
  const role = await make()
  const admins = findBuiltInRole(app.db, 'Partner Admin', 'partner') as string
  const refused = async (body: { permissions?: Grant[]; parentRoleId?: string }) => [
    refusal(await app.call(createRole, { body: { name: 'x', ...body } }, admin)),
    refusal(await app.call(updateRole, { params: { id: role.id }, body }, admin)),
  ]
  const wildcard = [403, 'wildcard_in_custom_role']
  for (const permissions of [grants('*:*'), grants('devices:*'), [{ resource: '*', action: 'read' }]])
    expect(await refused({ permissions })).toEqual([wildcard, wildcard])
  expect(await refused({ parentRoleId: admins })).toEqual([wildcard, wildcard])
  for (const grant of [
    { resource: 'devices', action: 'view' },
    { resource: 'nothing', action: 'read' },
    { resource: 'Devices', action: 'read' },
  ])
    expect(await refused({ permissions: [grant] })).toEqual([
      [403, 'permission_unknown'],
      [403, 'permission_unknown'],
    ])
  const legacy = await make({ name: 'Legacy', orgId: org.id })
  grantDirectly(app, legacy.id, { resource: 'devices', action: '*' })
  const heir = { name: 'x', orgId: org.id, parentRoleId: legacy.id }
  expect(refusal(await app.call(createRole, { body: heir }, admin))).toEqual(wildcard)
})

test('`*:*` allows everything, also permissions that no role editor knows', async () => {
  await using scene = await roleScene()
  const { app, admin, make } = scene
  const me = await app.call(usersMe, {}, admin)
  expect(me.body.permissions).toEqual(grants('*:*'))
  await make({ name: 'All', permissions: allPermissions.map((name) => grants(name)[0] as Grant) })
  const everything = { grants: grants('*:*') }
  assertHolds(everything, [{ resource: 'tomorrow', action: 'invent' }, ...grants('*:*', 'devices:*')])
  expect(() => assertHolds({ grants: grants('devices:*') }, grants('devices:read', 'sites:read'))).toThrow()
  expect(() => assertHolds({ grants: grants('devices:*') }, grants('*:*'))).toThrow()
})

test('a legacy grant with a wildcard on one side matches that side, in checks and in copies', async () => {
  await using scene = await roleScene()
  const { app, admin, make, holder } = scene
  const legacy = await make({ name: 'Legacy' })
  grantDirectly(app, legacy.id, { resource: 'devices', action: '*' })
  grantDirectly(app, legacy.id, { resource: '*', action: 'read' })
  const { token } = await holder(legacy)
  for (const endpoint of [listDevices, listSites, listOrganizations])
    expect((await app.call(endpoint, {}, { token })).status).toBe(200)
  const copy = await app.call(cloneRole, { params: { id: legacy.id }, body: { name: 'Copy' } }, admin)
  const expected = allPermissions.filter((name) => name.startsWith('devices:') || name.endsWith(':read'))
  expect(namesOf(copy.body.permissions).toSorted()).toEqual([...expected].toSorted())
})

test('the last full administrator cannot be lost by changing a legacy role that holds everything', async () => {
  await using scene = await roleScene()
  const { app, admin, make } = scene
  const system = await person(app, { email: 'sys@x.test', scope: 'system' })
  const above = await make({ name: 'Above' })
  const legacy = await make({ name: 'Legacy', parentRoleId: above.id })
  grantDirectly(app, above.id, { resource: '*', action: '*' })
  give(app, admin.userId, legacy.id)
  const change = (id: string, body: object) => app.call(updateRole, { params: { id }, body }, system)
  const last = [409, 'last_admin']
  expect(refusal(await change(above.id, { permissions: grants('devices:read') }))).toEqual(last)
  expect(refusal(await change(legacy.id, { parentRoleId: null }))).toEqual(last)
  expect((await change(legacy.id, { name: 'Renamed' })).status).toBe(200)
  const me = await app.call(usersMe, {}, admin)
  expect(me.body.permissions, 'a refused change left nothing behind').toEqual(grants('*:*'))
  const invited = await member(app, { email: 'new@x.test', scope: 'partner', partnerId: admin.partnerId })
  app.db.run(q.updateTable('users').set({ status: 'invited' }).where('id', '=', invited.id))
  expect(refusal(await change(legacy.id, { parentRoleId: null })), 'who was only invited does not count').toEqual(last)
  app.db.run(q.updateTable('users').set({ status: 'active' }).where('id', '=', invited.id))
  expect((await change(legacy.id, { parentRoleId: null })).status).toBe(200)
})

test('circular inheritance is refused at any distance', async () => {
  await using scene = await roleScene()
  const { app, admin, make } = scene
  const chain: RoleDetail[] = []
  for (let depth = 0; depth < 6; depth++)
    chain.push(await make({ ...(depth && { parentRoleId: chain[depth - 1]?.id }) }))
  const top = chain[0] as RoleDetail
  for (const { id } of chain) {
    const answer = await app.call(updateRole, { params: { id: top.id }, body: { parentRoleId: id } }, admin)
    expect([answer.status, answer.body.error]).toEqual([
      400,
      'Cannot set parent role: would create circular inheritance',
    ])
  }
  const [, second, third] = chain as [RoleDetail, RoleDetail, RoleDetail]
  const skip = await app.call(updateRole, { params: { id: third.id }, body: { parentRoleId: top.id } }, admin)
  expect([skip.status, skip.body.parentRoleId]).toEqual([200, top.id])
  const under = await app.call(updateRole, { params: { id: second.id }, body: { parentRoleId: third.id } }, admin)
  expect(under.status).toBe(200)
})

test('the depth of inheritance is limited', async () => {
  await using scene = await roleScene()
  const { app, admin, make } = scene
  /** From the top down. */
  const chainOf = async (levels: number) => {
    const chain = [await make()]
    while (chain.length < levels) chain.push(await make({ parentRoleId: chain.at(-1)?.id }))
    return chain
  }
  const [long, short] = [await chainOf(48), await chainOf(3)]
  const below = (role: RoleDetail | undefined, parent: RoleDetail | undefined) =>
    app.call(updateRole, { params: { id: role?.id ?? '' }, body: { parentRoleId: parent?.id ?? '' } }, admin)
  expect(refusal(await below(short[0], long.at(-1)))).toEqual([400, 'role_parent_too_deep'])
  expect(refusal(await below(long[0], short.at(-1)))).toEqual([400, 'role_parent_too_deep'])
  expect((await below(short[1], long.at(-1))).status).toBe(200)
  const bottom = { name: 'Role', parentRoleId: short[2]?.id ?? '' }
  expect(refusal(await app.call(createRole, { body: bottom }, admin))).toEqual([400, 'role_parent_too_deep'])
})

test('ten simultaneous changes cannot create a circle', async () => {
  await using scene = await roleScene()
  const { app, admin, make } = scene
  const roles = await Promise.all(Array.from({ length: 10 }, () => make()))
  const answers = await Promise.all(
    roles.map(({ id }, at) => {
      const parentRoleId = roles[(at + 1) % roles.length]?.id as string
      return app.call(updateRole, { params: { id }, body: { parentRoleId } }, admin)
    }),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(9)
  expect(answers.filter(({ body }) => body.code === 'role_parent_circular')).toHaveLength(1)
  for (const { id } of roles) {
    const { body } = await app.call(effectivePermissions, { params: { id } }, admin)
    expect(body.inheritanceChain.map((above) => above.id)).not.toContain(id)
  }
})

test('a user without a factor cannot remove the forced factor from their own role', async () => {
  await using scene = await roleScene()
  const { app, admin, org, make, holder, manager } = scene
  const one = await manager()
  const strict = (id: string, forceMfa: boolean, token: string, query = {}) =>
    app.call(updateRole, { params: { id }, query, body: { forceMfa } }, { token })
  expect((await strict(one.role.id, true, one.token)).body.forceMfa).toBe(true)
  expect(refusal(await strict(one.role.id, false, one.token))).toEqual([403, 'own_role_force_mfa'])
  const another = await make({ forceMfa: true })
  await holder(another)
  expect((await strict(another.id, false, one.token)).status, 'a role of others').toBe(200)
  expect((await strict(another.id, false, one.token)).status, 'off already').toBe(200)
  await withFactor(app, one.token)
  expect((await strict(one.role.id, false, one.token)).status).toBe(200)
  // A role of their own in another tenant is their own, too.
  const elsewhere = await make({ forceMfa: true, orgId: org.id })
  const row = { id: 'second', org_id: org.id, user_id: admin.userId, role_id: elsewhere.id, created_at: '2026' }
  app.db.run(q.insertInto('organization_users').values(row))
  const own = await strict(elsewhere.id, false, admin.token, { orgId: org.id })
  expect(refusal(own)).toEqual([403, 'own_role_force_mfa'])
})

test('a caller cannot change a role of users who may do more than the caller', async () => {
  await using scene = await roleScene()
  const { app, make, manager, holder } = scene
  const { token } = await manager('devices:read')
  const strong = await make({ name: 'Strong', permissions: grants('devices:read', 'scripts:execute'), forceMfa: true })
  const above = await make({ name: 'Above', permissions: grants('devices:read') })
  const heir = await make({ name: 'Heir', parentRoleId: above.id, permissions: grants('scripts:execute') })
  const change = async (id: string, body: object) =>
    refusal(await app.call(updateRole, { params: { id }, body }, { token }))
  const changes = [{ forceMfa: false }, { forceMfa: true }, { name: 'Renamed' }, { description: 'Harmless' }]
  for (const body of changes) expect(await change(strong.id, body), 'that nobody has').toEqual([200, undefined])
  for (const { id } of [strong, heir]) await holder({ id, orgId: null })
  const before = app.db.all(q.selectFrom('roles').selectAll())
  const told = auditOf(app, 'role.update').length
  for (const { id } of [strong, above])
    for (const body of changes) expect(await change(id, body)).toEqual([403, 'permission_not_held'])
  expect(app.db.all(q.selectFrom('roles').selectAll())).toEqual(before)
  expect(auditOf(app, 'role.update')).toHaveLength(told)
})

test('the forced factor of a role applies if the appliance enforces it, and is not inherited', async () => {
  for (const isForced of [false, true]) {
    await using scene = await roleScene(isForced ? { MFA_FORCE_FOR_PARTNER_ADMIN: 'true' } : {})
    const { app, admin, make, holder } = scene
    const settings = { security: { mfaEnrollmentGraceDays: 0 } }
    app.db.run(q.updateTable('partners').set({ settings: toJson(settings) }))
    if (isForced) await withFactor(app, admin.token)
    const strict = await make({ permissions: grants('sites:read'), forceMfa: true })
    const child = await make({ permissions: grants('sites:read'), parentRoleId: strict.id })
    expect(child.forceMfa).toBe(false)
    const sites = async (role: RoleDetail) => (await app.call(listSites, {}, await holder(role))).status
    expect(await sites(strict)).toBe(isForced ? 428 : 200)
    expect(await sites(child)).toBe(200)
    app.db.run(q.updateTable('partners').set({ settings: toJson({ security: { requireMfa: true } }) }))
    expect(await sites(child)).toBe(428)
  }
})

test('a user confined to sites cannot change a role that users with other sites hold', async () => {
  await using scene = await roleScene()
  const { app, admin, org, make } = scene
  const [site, elsewhere] = [await siteOf(app, admin.token, org.id), await siteOf(app, admin.token, org.id, 'Else')]
  const above = await make({ name: 'Above', orgId: org.id })
  const role = await make({ name: 'Role', orgId: org.id, parentRoleId: above.id, permissions: grants('sites:read') })
  const inOrg = { scope: 'organization', orgId: org.id } as const
  const confined = await person(app, { email: 'confined@x.test', ...inOrg, siteIds: [site.id] })
  const other = await member(app, { email: 'other@x.test', ...inOrg, siteIds: [site.id, elsewhere.id] })
  give(app, other.id, role.id)
  const change = (id: string, permissions: Grant[]) =>
    app.call(updateRole, { params: { id }, body: { permissions } }, { token: confined.token })
  const more = grants('sites:read', 'devices:execute')
  const wider = [403, 'reach_wider_than_own']
  expect(refusal(await change(role.id, more))).toEqual(wider)
  expect(refusal(await change(role.id, grants('sites:read', 'sites:write')))).toEqual(wider)
  expect(refusal(await change(above.id, more))).toEqual(wider)
  expect((await app.call(readRole, { params: { id: role.id } }, confined)).body.permissions).toEqual(role.permissions)
  expect(refusal(await change(role.id, [])), 'nor takes anything from them').toEqual(wider)
  const ids = toJson([site.id])
  app.db.run(q.updateTable('organization_users').set({ site_ids: ids }).where('user_id', '=', other.id))
  expect((await change(role.id, more)).status).toBe(200)
})

test('each permission about roles opens only the calls it names', async () => {
  await using scene = await roleScene()
  const { app, make, holder } = scene
  const target = await make()
  const role = await make()
  const { token } = await holder(role)
  const opened = async () => [
    (await app.call(readRole, { params: { id: target.id } }, { token })).status,
    (await app.call(updateRole, { params: { id: target.id }, body: { name: 'x' } }, { token })).status,
    (await app.call(deleteRole, { params: { id: role.id } }, { token })).status,
  ]
  const only: Partial<Record<Permission, number[]>> = {
    'users:read': [200, 403, 403],
    'users:write': [403, 200, 403],
    'users:delete': [403, 403, 400],
  }
  for (const name of allPermissions) {
    app.db.run(q.deleteFrom('role_permissions').where('role_id', '=', role.id))
    grantDirectly(app, role.id, grants(name)[0] as Grant)
    expect(await opened(), name).toEqual(only[name] ?? [403, 403, 403])
  }
})
