import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import {
  availablePermissions,
  cloneRole,
  createRole,
  deleteRole,
  effectivePermissions,
  listRoles,
  permissionCatalogue,
  readRole,
  roleUsers,
  updateRole,
} from '../../shared/api/roles.ts'
import { allPermissions, assignableGrants, permissionCatalog } from '../../shared/permissions.ts'
import { member, person } from '../helpers/factories.ts'
import { auditOf } from './kit.ts'
import { give, grantDirectly, grants, namesOf, refusal, roleScene } from './role-kit.ts'

const builtInOfPartner = [
  'Partner Admin',
  'Partner Billing',
  'Partner Billing Viewer',
  'Partner Security Approver',
  'Partner Technician',
  'Partner Viewer',
]

test('the list has the built-in roles and those of the tenant, with the number of their users', async () => {
  await using scene = await roleScene()
  const { app, admin, make, holder } = scene
  const role = await make({ name: 'helpdesk', permissions: grants('devices:read') })
  await make({ name: 'Apprentice', parentRoleId: role.id })
  await holder(role)
  await holder(role)
  const { status, body } = await app.call(listRoles, {}, { token: admin.token })
  expect(status).toBe(200)
  expect(body.data.map(({ name }) => name)).toEqual([...builtInOfPartner, 'Apprentice', 'helpdesk'])
  expect(body.data[0]).toMatchObject({ name: 'Partner Admin', isSystem: true, forceMfa: true, userCount: 1 })
  expect(body.data.at(-1)).toEqual({
    id: role.id,
    name: 'helpdesk',
    description: null,
    scope: 'partner',
    isSystem: false,
    forceMfa: false,
    parentRoleId: null,
    parentRoleName: null,
    orgId: null,
    orgName: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    userCount: 2,
    childRoleCount: 1,
    ssoProviderCount: 0,
  })
})

test('a role is created, read, changed and deleted, each with an audit event', async () => {
  await using scene = await roleScene()
  const { app, admin, make } = scene
  const { token } = admin
  const parent = await make({ name: 'Parent' })
  const made = await app.call(
    createRole,
    {
      body: {
        name: '  Helpdesk ',
        description: 'Answers the phone',
        permissions: grants('sites:read', 'devices:read', 'devices:read'),
        parentRoleId: parent.id,
        forceMfa: true,
      },
    },
    { token },
  )
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({
    name: 'Helpdesk',
    description: 'Answers the phone',
    scope: 'partner',
    isSystem: false,
    forceMfa: true,
    parentRoleId: parent.id,
    parentRoleName: 'Parent',
    userCount: 0,
    permissions: grants('devices:read', 'sites:read'),
  })
  const { id } = made.body
  expect((await app.call(readRole, { params: { id } }, { token })).body).toEqual(made.body)

  app.clock.advance(1000)
  const changed = await app.call(
    updateRole,
    { params: { id }, body: { permissions: grants('scripts:read'), parentRoleId: null, description: '' } },
    { token },
  )
  const { updatedAt } = changed.body
  expect(changed.status).toBe(200)
  expect(changed.body).toEqual({
    ...made.body,
    description: null,
    parentRoleId: null,
    parentRoleName: null,
    permissions: grants('scripts:read'),
    updatedAt,
  })
  expect(updatedAt > made.body.updatedAt).toBe(true)
  const removed = await app.call(deleteRole, { params: { id } }, { token })
  expect([removed.status, removed.body]).toEqual([200, { success: true }])
  expect(refusal(await app.call(readRole, { params: { id } }, { token }))).toEqual([404, 'role_not_found'])

  const events = auditOf(app).filter(({ resource_id }) => resource_id === id)
  expect(events.map(({ action, partner_id }) => [action, partner_id])).toEqual(
    ['role.create', 'role.update', 'role.delete'].map((action) => [action, admin.partnerId]),
  )
  expect(JSON.parse(events[1]?.details ?? '')).toEqual({
    changedFields: ['description', 'permissions', 'parentRoleId'],
    before: {
      description: 'Answers the phone',
      permissions: ['devices:read', 'sites:read'],
      parentRoleId: parent.id,
      parentRoleName: 'Parent',
    },
    after: { description: null, permissions: ['scripts:read'], parentRoleId: null, parentRoleName: null },
  })
})

test('a change without fields and an invalid name are refused', async () => {
  await using scene = await roleScene()
  const { app, admin, make } = scene
  const { id } = await make()
  const patch = (body: object) => app.call(updateRole, { params: { id }, body }, { token: admin.token })
  expect(refusal(await patch({}))).toEqual([400, 'no_updates'])
  for (const name of ['', '   ', 'x'.repeat(101), 'two\nlines', null])
    expect(refusal(await patch({ name })), JSON.stringify(name)).toEqual([400, 'validation_failed'])
  expect((await patch({ name: 'x'.repeat(100) })).status).toBe(200)
  expect((await make({ name: 'x'.repeat(100) })).name, 'two roles may have one name').toHaveLength(100)
})

test('built-in roles cannot be changed or deleted by anybody', async () => {
  await using scene = await roleScene()
  const { app, admin } = scene
  const system = await person(app, { email: 'sys@x.test', scope: 'system' })
  for (const { token } of [admin, system]) {
    const id = findBuiltInRole(app.db, 'Partner Viewer', 'partner') as string
    const patch = await app.call(updateRole, { params: { id }, body: { name: 'Mine' } }, { token })
    expect([patch.status, patch.body.error]).toEqual([403, 'Cannot modify system roles'])
    const removal = await app.call(deleteRole, { params: { id } }, { token })
    expect([removal.status, removal.body.error]).toEqual([403, 'Cannot delete system roles'])
  }
})

test('a role with users or heirs cannot be deleted, and the refusal counts them everywhere', async () => {
  await using scene = await roleScene()
  const { app, admin, make, holder } = scene
  const role = await make()
  const child = await make({ name: 'Child', parentRoleId: role.id })
  const one = await holder(role)
  app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('id', '=', one.id))
  const remove = (id: string) => app.call(deleteRole, { params: { id } }, { token: admin.token })
  expect((await remove(role.id)).body).toMatchObject({ code: 'role_has_users', userCount: 1, childRoleCount: 1 })
  give(app, one.id, findBuiltInRole(app.db, 'Partner Viewer', 'partner') as string)
  const blocked = await remove(role.id)
  expect(blocked.status).toBe(400)
  expect(blocked.body).toMatchObject({ code: 'role_has_children', childRoleCount: 1 })
  expect(blocked.body).not.toHaveProperty('userCount')
  expect((await remove(child.id)).status).toBe(200)
  expect((await remove(role.id)).status).toBe(200)
})

test('a clone has the effective permissions of the other as its own, keeps the flag and has no parent', async () => {
  await using scene = await roleScene()
  const { app, admin, make } = scene
  const top = await make({ name: 'Top', permissions: grants('devices:read', 'sites:read') })
  const middle = await make({ name: 'Middle', permissions: grants('scripts:read'), parentRoleId: top.id })
  const source = await make({
    name: 'Source',
    description: 'Of old',
    permissions: grants('devices:read', 'alerts:read'),
    parentRoleId: middle.id,
    forceMfa: true,
  })
  const clone = await app.call(cloneRole, { params: { id: source.id }, body: { name: 'Copy' } }, { token: admin.token })
  expect(clone.status).toBe(201)
  expect(clone.body).toMatchObject({
    name: 'Copy',
    description: 'Of old',
    isSystem: false,
    forceMfa: true,
    parentRoleId: null,
    permissions: grants('alerts:read', 'devices:read', 'scripts:read', 'sites:read'),
  })
  const [event] = auditOf(app, 'role.clone')
  expect(event?.resource_id).toBe(clone.body.id)
  expect(JSON.parse(event?.details ?? '')).toMatchObject({ sourceRoleId: source.id, sourceRoleName: 'Source' })
})

test('a clone of Partner Admin has every permission by name', async () => {
  await using scene = await roleScene()
  const { app, admin } = scene
  const id = findBuiltInRole(app.db, 'Partner Admin', 'partner') as string
  const { body } = await app.call(cloneRole, { params: { id }, body: { name: 'Nearly' } }, { token: admin.token })
  expect(namesOf(body.permissions).toSorted()).toEqual([...allPermissions].toSorted())
  expect(body).toMatchObject({ isSystem: false, forceMfa: true })
})

test('the effective permissions name the source of each, the nearest first, and the chain of parents', async () => {
  await using scene = await roleScene()
  const { app, admin, make } = scene
  const top = await make({ name: 'Top', permissions: grants('devices:read', 'sites:read', 'alerts:read') })
  const middle = await make({ name: 'Middle', permissions: grants('sites:read'), parentRoleId: top.id })
  const low = await make({ name: 'Low', permissions: grants('devices:read'), parentRoleId: middle.id })
  const effective = async (id: string) =>
    (await app.call(effectivePermissions, { params: { id } }, { token: admin.token })).body
  const from = (resource: string, role: typeof top, inherited: boolean) => ({
    resource,
    action: 'read',
    inherited,
    sourceRoleId: role.id,
    sourceRoleName: role.name,
  })
  expect(await effective(low.id)).toEqual({
    roleId: low.id,
    roleName: 'Low',
    inheritanceChain: [
      { id: middle.id, name: 'Middle' },
      { id: top.id, name: 'Top' },
    ],
    permissions: [from('alerts', top, true), from('devices', low, false), from('sites', middle, true)],
  })
  const { permissions, inheritanceChain } = await effective(
    findBuiltInRole(app.db, 'Partner Admin', 'partner') as string,
  )
  expect(namesOf(permissions)).toEqual(['*:*'])
  expect(inheritanceChain).toEqual([])
})

test('a circle left by an older appliance is walked once', async () => {
  await using scene = await roleScene()
  const { app, admin, make } = scene
  const one = await make({ name: 'One', permissions: grants('devices:read') })
  const two = await make({ name: 'Two', permissions: grants('sites:read'), parentRoleId: one.id })
  app.db.run(q.updateTable('roles').set({ parent_role_id: two.id }).where('id', '=', one.id))
  const { status, body } = await app.call(effectivePermissions, { params: { id: one.id } }, { token: admin.token })
  expect(status).toBe(200)
  expect(body.inheritanceChain).toEqual([{ id: two.id, name: 'Two' }])
  expect(namesOf(body.permissions)).toEqual(['devices:read', 'sites:read'])
})

test('the users of a role are those of the tenant, sorted by name', async () => {
  await using scene = await roleScene()
  const { app, admin, org } = scene
  const orgViewer = { scope: 'organization', orgId: org.id, role: 'Org Viewer' } as const
  const zoe = await member(app, { email: 'zoe@x.test', name: 'zoe', ...orgViewer })
  const adam = await member(app, { email: 'adam@x.test', name: 'Adam', ...orgViewer })
  const id = findBuiltInRole(app.db, 'Org Viewer', 'organization') as string
  const { body } = await app.call(roleUsers, { params: { id }, query: { orgId: org.id } }, { token: admin.token })
  expect(body.data).toEqual([
    { id: adam.id, name: 'Adam', email: 'adam@x.test', status: 'active', lastLoginAt: null },
    expect.objectContaining({ id: zoe.id }),
  ])
})

test('the permissions come from one catalogue, each with a label', async () => {
  await using scene = await roleScene()
  const { app, admin, org } = scene
  const { body } = await app.call(availablePermissions, {}, { token: admin.token })
  expect(body.resources).toEqual(Object.keys(permissionCatalog))
  expect(body.actions).toEqual([...new Set(assignableGrants.map(({ action }) => action))])
  expect(body.actions).not.toContain('view')
  const viewer = await person(app, { email: 'v@x.test', scope: 'organization', orgId: org.id, role: 'Org Viewer' })
  const catalogue = (await app.call(permissionCatalogue, {}, { token: viewer.token })).body
  expect(catalogue.permissions).toEqual(
    assignableGrants.map((grant) => ({ ...grant, description: expect.any(String) })),
  )
  for (const { description } of catalogue.permissions) expect(description).toMatch(/^[A-Z].*\.$/)
  for (const { resource, action } of assignableGrants) {
    expect(catalogue.resourceLabels[resource]).toMatch(/^[A-Z]/)
    expect(catalogue.actionLabels[action]).toMatch(/^[A-Z]/)
  }
  const labels = Object.values(catalogue.resourceLabels)
  expect(new Set(labels).size, 'no two resources are called the same').toBe(labels.length)
})

test('roles are managed by members with access to all organizations according to their membership row', async () => {
  await using scene = await roleScene()
  const { app, admin, org, make } = scene
  const { id } = await make()
  const { partnerId } = admin
  const place = { scope: 'partner', partnerId, orgAccess: 'selected' } as const
  const sel = await person(app, { email: 'sel@x.test', ...place, orgIds: [org.id] })
  const params = { id }
  const answers = [
    await app.call(listRoles, {}, sel),
    await app.call(availablePermissions, {}, sel),
    await app.call(readRole, { params }, sel),
    await app.call(roleUsers, { params }, sel),
    await app.call(effectivePermissions, { params }, sel),
    await app.call(createRole, { body: { name: 'x' } }, sel),
    await app.call(createRole, { body: { name: 'x', orgId: org.id } }, sel),
    await app.call(updateRole, { params, body: { name: 'x' } }, sel),
    await app.call(cloneRole, { params, body: { name: 'x' } }, sel),
    await app.call(deleteRole, { params }, sel),
  ]
  for (const { status, body } of answers)
    expect([status, body.error]).toEqual([403, 'Full partner organization access required'])
  expect((await app.call(permissionCatalogue, {}, sel)).status).toBe(200)
  app.db.run(q.updateTable('organizations').set({ status: 'suspended' }))
  expect((await app.call(listRoles, {}, { token: admin.token })).status).toBe(200)
})

test('refusals come in the order permission, second factor, body', async () => {
  await using scene = await roleScene()
  const { app, admin, make, manager } = scene
  const { id } = await make()
  const viewer = await person(app, {
    email: 'v@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    role: 'Partner Viewer',
  })
  const patch = (token: string, body: object) => app.call(updateRole, { params: { id }, body }, { token })
  expect(refusal(await patch(viewer.token, { name: 7 }))).toEqual([403, 'permission_denied'])
  const one = await manager()
  app.db.run(q.updateTable('users').set({ mfa_enabled: 1, mfa_method: 'totp' }).where('id', '=', one.id))
  expect(refusal(await patch(one.token, { name: 7 }))).toEqual([403, 'MFA_REQUIRED'])
  app.db.run(q.updateTable('users').set({ mfa_enabled: 0, mfa_method: null }).where('id', '=', one.id))
  expect(refusal(await patch(one.token, { name: 7 }))).toEqual([400, 'validation_failed'])
})

test('an unknown permission left by an older appliance is shown, but neither kept nor copied', async () => {
  await using scene = await roleScene()
  const { app, admin, make } = scene
  const { id } = await make({ permissions: grants('devices:read') })
  grantDirectly(app, id, { resource: 'devices', action: 'view' })
  const read = await app.call(readRole, { params: { id } }, { token: admin.token })
  expect(namesOf(read.body.permissions)).toEqual(['devices:read', 'devices:view'])
  const clone = await app.call(cloneRole, { params: { id }, body: { name: 'Copy' } }, { token: admin.token })
  expect(namesOf(clone.body.permissions)).toEqual(['devices:read'])
  const again = { params: { id }, body: { permissions: read.body.permissions } }
  expect(refusal(await app.call(updateRole, again, { token: admin.token }))).toEqual([403, 'permission_unknown'])
})
