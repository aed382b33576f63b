import { randomUUIDv7 } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole, seedRoles } from '../../server/features/access/index.ts'
import { createOwnAdminRole } from '../../server/features/access/roles/built-in.ts'
import { isoNow } from '../../server/platform/clock.ts'
import { listUsers } from '../../shared/api/people.ts'
import {
  cloneRole,
  createRole,
  deleteRole,
  effectivePermissions,
  listRoles,
  readRole,
  roleUsers,
  updateRole,
} from '../../shared/api/roles.ts'
import { organizationOf, otherCompany, person } from '../helpers/factories.ts'
import { setOrganization } from '../helpers/rows.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { auditOf } from './kit.ts'
import { give, namesOf, refusal, roleScene } from './role-kit.ts'

const builtInOfOrganization = ['Org Admin', 'Org Technician', 'Org Viewer', 'Security Approver']

type Query = { orgId?: string; partnerId?: string; ownerScope?: 'organization' | 'all' }

const customNames = async (app: TestApp, token: string, query: Query = {}) => {
  const { status, body } = await app.call(listRoles, { query }, { token })
  return status === 200 ? body.data.filter(({ isSystem }) => !isSystem).map(({ name }) => name) : [status, body.code]
}

/** Two companies, each with a role of its own and one of its organization; the other has its own Partner Admin. */
async function twoTenants() {
  const scene = await roleScene()
  const { app, admin, org, make } = scene
  const other = await otherCompany(app)
  const ownAdminId = randomUUIDv7()
  createOwnAdminRole(app.db, ownAdminId, other.partnerId, isoNow(app.clock))
  give(app, other.admin.id, ownAdminId)
  const roles = { partner: await make({ name: 'Ours' }), organization: await make({ name: 'Berlin', orgId: org.id }) }
  const theirs = {
    admin: ownAdminId,
    partner: (await make({ name: 'Theirs' }, other.admin.token)).id,
    organization: (await make({ name: 'Umbrella', orgId: other.org.id }, other.admin.token)).id,
  }
  const olaf = await person(app, { email: 'olaf@x.test', scope: 'organization', orgId: org.id })
  const system = await person(app, { email: 'sys@x.test', scope: 'system' })
  return { ...scene, admin, other, roles, theirs, olaf, system, [Symbol.asyncDispose]: scene[Symbol.asyncDispose] }
}

test('the list of roles is that of the own tenant, of an organization, or of the whole company', async () => {
  await using scene = await twoTenants()
  const { app, admin, org, other, olaf, system } = scene
  expect(await customNames(app, admin.token)).toEqual(['Ours'])
  expect(await customNames(app, admin.token, { orgId: org.id })).toEqual(['Berlin', 'Ours'])
  expect(await customNames(app, admin.token, { ownerScope: 'organization', orgId: org.id })).toEqual(['Berlin'])
  expect(await customNames(app, admin.token, { ownerScope: 'all' })).toEqual(['Berlin', 'Ours'])
  expect(await customNames(app, admin.token, { ownerScope: 'organization', orgId: other.org.id })).toEqual([
    404,
    'organization_not_found',
  ])
  expect(await customNames(app, olaf.token)).toEqual(['Berlin'])
  expect(await customNames(app, olaf.token, { orgId: other.org.id, partnerId: other.partnerId })).toEqual(['Berlin'])
  expect(await customNames(app, system.token)).toEqual([403, 'tenant_context_required'])
  expect(await customNames(app, system.token, { partnerId: admin.partnerId })).toEqual(['Ours'])
  expect(await customNames(app, system.token, { orgId: org.id })).toEqual(['Berlin'])
  const ofOrganization = await app.call(listRoles, {}, { token: olaf.token })
  expect(ofOrganization.body.data.map(({ name }) => name)).toEqual([...builtInOfOrganization, 'Berlin'])
  const whole = await app.call(listRoles, { query: { ownerScope: 'all' } }, { token: admin.token })
  expect(whole.body.data.find(({ name }) => name === 'Berlin')).toMatchObject({ orgId: org.id, orgName: org.name })
  expect(whole.body.data.find(({ name }) => name === 'Org Admin')).toMatchObject({ userCount: 1, orgId: null })
})

test('a role of another tenant answers 404, whether `is_system` or not', async () => {
  await using scene = await twoTenants()
  const { app, admin, org, other, theirs, olaf } = scene
  for (const [kind, id] of Object.entries(theirs))
    for (const { token } of [admin, olaf])
      for (const query of [{}, { orgId: other.org.id }, { orgId: org.id }, { ownerScope: 'all' as const }]) {
        const params = { id }
        const answers = [
          await app.call(readRole, { params, query }, { token }),
          await app.call(roleUsers, { params, query }, { token }),
          await app.call(effectivePermissions, { params, query }, { token }),
          await app.call(updateRole, { params, query, body: { name: 'x' } }, { token }),
          await app.call(cloneRole, { params, query, body: { name: 'x' } }, { token }),
          await app.call(deleteRole, { params, query }, { token }),
        ]
        for (const answer of answers) expect(refusal(answer), kind).toEqual([404, 'role_not_found'])
      }
  for (const id of Object.values(theirs)) {
    const body = { name: 'x', parentRoleId: id }
    expect(refusal(await app.call(createRole, { body }, { token: admin.token }))).toEqual([400, 'role_parent_missing'])
  }
  const { body } = await app.call(listRoles, {}, { token: admin.token })
  expect(body.data.map(({ id }) => id)).not.toContain(theirs.admin)
})

test('a company lists its own Partner Admin instead of the shared one', async () => {
  await using scene = await twoTenants()
  const { app, admin, other, theirs } = scene
  const admins = async (token: string) => {
    const { body } = await app.call(listRoles, {}, { token })
    return body.data.filter(({ name }) => name === 'Partner Admin').map(({ id, userCount }) => [id, userCount])
  }
  expect(await admins(other.admin.token)).toEqual([[theirs.admin, 1]])
  expect(await admins(admin.token)).toEqual([[findBuiltInRole(app.db, 'Partner Admin', 'partner'), 1]])
  const own = { params: { id: theirs.admin } }
  const patch = await app.call(updateRole, { ...own, body: { name: 'Mine' } }, { token: other.admin.token })
  expect([patch.status, patch.body.error]).toEqual([403, 'Cannot modify system roles'])
  expect((await app.call(deleteRole, own, { token: other.admin.token })).status).toBe(403)
})

test('an organization in the query neither errors nor hides the roles of the company', async () => {
  await using scene = await twoTenants()
  const { app, admin, org, other, roles } = scene
  for (const orgId of [org.id, other.org.id, 'x', '']) {
    const { status, body } = await app.call(listRoles, { query: { orgId } }, { token: admin.token })
    expect([status, body.data.some(({ id }) => id === roles.partner.id)], orgId).toEqual([200, true])
    expect(body.data.map(({ name }) => name)).not.toContain('Umbrella')
    const params = { id: roles.partner.id }
    expect((await app.call(readRole, { params, query: { orgId } }, { token: admin.token })).status).toBe(200)
    expect((await app.call(listUsers, { query: { orgId } }, { token: admin.token })).status).toBe(200)
    const changed = await app.call(updateRole, { params, query: { orgId }, body: { name: 'Ours' } }, admin)
    expect(changed.status).toBe(200)
  }
})

test('a partner manages a role of an organization by naming that organization', async () => {
  await using scene = await twoTenants()
  const { app, admin, org, roles } = scene
  const params = { id: roles.organization.id }
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  for (const query of [{}, { orgId: sibling.id }])
    expect(refusal(await app.call(readRole, { params, query }, admin))).toEqual([404, 'role_not_found'])
  const query = { orgId: org.id }
  expect((await app.call(readRole, { params, query }, admin)).body.name).toBe('Berlin')
  const patch = await app.call(updateRole, { params, query, body: { name: 'Berlin 2' } }, admin)
  expect(patch.body).toMatchObject({ name: 'Berlin 2', scope: 'organization', orgId: org.id })
  expect(auditOf(app, 'role.update').at(-1)).toMatchObject({ org_id: org.id, partner_id: admin.partnerId })
  const clone = await app.call(cloneRole, { params, query, body: { name: 'Copy' } }, admin)
  expect(clone.body).toMatchObject({ scope: 'organization', orgId: org.id })
  expect((await app.call(deleteRole, { params, query }, admin)).status).toBe(200)
})

test('a role is created in the tenant of the body and not of the query', async () => {
  await using scene = await twoTenants()
  const { app, admin, org, other, olaf, system } = scene
  const make = (token: string, body: { orgId?: string; partnerId?: string }, query: Query = {}) =>
    app.call(createRole, { body: { name: 'New', ...body }, query }, { token })
  const place = ({ body: { scope, orgId } }: Awaited<ReturnType<typeof make>>) => [scope, orgId]
  expect(place(await make(admin.token, {}, { orgId: org.id }))).toEqual(['partner', null])
  expect(place(await make(admin.token, { orgId: org.id }))).toEqual(['organization', org.id])
  expect(place(await make(admin.token, {}, { ownerScope: 'organization', orgId: org.id }))).toEqual([
    'organization',
    org.id,
  ])
  expect(place(await make(olaf.token, {}))).toEqual(['organization', org.id])
  expect(place(await make(system.token, { partnerId: admin.partnerId }))).toEqual(['partner', null])
  expect(place(await make(system.token, { orgId: org.id }))).toEqual(['organization', org.id])
  expect(refusal(await make(system.token, {}))).toEqual([403, 'tenant_context_required'])
  for (const token of [admin.token, olaf.token]) {
    expect(refusal(await make(token, { orgId: other.org.id }))).toEqual([403, 'org_access_denied'])
    expect(refusal(await make(token, { partnerId: other.partnerId }))).toEqual([403, 'partner_access_denied'])
  }
})

test('a copy of a built-in role belongs to the tenant of the caller, or to the one they name', async () => {
  await using scene = await twoTenants()
  const { app, admin, org, other, olaf, system } = scene
  const viewer = findBuiltInRole(app.db, 'Org Viewer', 'organization') as string
  const partnerViewer = findBuiltInRole(app.db, 'Partner Viewer', 'partner') as string
  const clone = (token: string, id: string, query: Query = {}) =>
    app.call(cloneRole, { params: { id }, query, body: { name: 'Copy' } }, { token })
  expect((await clone(olaf.token, viewer)).body).toMatchObject({ scope: 'organization', orgId: org.id })
  expect(refusal(await clone(olaf.token, partnerViewer))).toEqual([404, 'role_not_found'])
  expect((await clone(admin.token, partnerViewer)).body).toMatchObject({ scope: 'partner', orgId: null })
  expect((await clone(admin.token, viewer, { orgId: org.id })).body).toMatchObject({ orgId: org.id })
  expect(refusal(await clone(admin.token, viewer))).toEqual([403, 'tenant_context_required'])
  expect(refusal(await clone(admin.token, viewer, { orgId: other.org.id }))).toEqual([403, 'org_access_denied'])
  expect(refusal(await clone(system.token, viewer))).toEqual([403, 'tenant_context_required'])
  expect(refusal(await clone(system.token, partnerViewer))).toEqual([403, 'tenant_context_required'])
  expect((await clone(system.token, viewer, { orgId: org.id })).body).toMatchObject({ orgId: org.id })
  const ofOther = await clone(system.token, partnerViewer, { partnerId: other.partnerId })
  expect(ofOther.status).toBe(201)
  expect(await customNames(app, other.admin.token)).toEqual(['Copy', 'Theirs'])
})

test('counts and users of a built-in role are those of the tenant, and for operators all or those of one', async () => {
  await using scene = await twoTenants()
  const { app, admin, other, olaf, system } = scene
  const far = await person(app, { email: 'far@x.test', scope: 'organization', orgId: other.org.id })
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const sister = await person(app, { email: 'sister@x.test', scope: 'organization', orgId: sibling.id })
  const id = findBuiltInRole(app.db, 'Org Admin', 'organization') as string
  const seen = async (token: string, query: Query = {}) => {
    const { body } = await app.call(readRole, { params: { id }, query }, { token })
    const users = (await app.call(roleUsers, { params: { id }, query }, { token })).body.data
    expect(users).toHaveLength(body.userCount)
    return users.map((user) => user.id).toSorted()
  }
  const sorted = (...people: { id: string }[]) => people.map((one) => one.id).toSorted()
  expect(await seen(olaf.token)).toEqual(sorted(olaf))
  expect(await seen(admin.token)).toEqual(sorted(olaf, sister))
  expect(await seen(admin.token, { orgId: sibling.id })).toEqual(sorted(sister))
  expect(await seen(admin.token, { orgId: other.org.id })).toEqual(sorted(olaf, sister))
  expect(await seen(system.token)).toEqual(sorted(olaf, sister, far))
  expect(await seen(system.token, { partnerId: other.partnerId })).toEqual(sorted(far))
  const again = { id: randomUUIDv7(), org_id: sibling.id, user_id: olaf.id, role_id: id, created_at: isoNow(app.clock) }
  app.db.run(q.insertInto('organization_users').values(again))
  expect(await seen(admin.token), 'who has it in two organizations is one').toEqual(sorted(olaf, sister))
  setOrganization(app, sibling.id, { status: 'archived' })
  expect(await seen(admin.token)).toEqual(sorted(olaf))
})

test('users of a built-in role in another company are neither counted nor named', async () => {
  await using scene = await twoTenants()
  const { app, admin, other } = scene
  const viewer = { scope: 'partner', role: 'Partner Viewer' } as const
  const ours = await person(app, { email: 'ours@x.test', partnerId: admin.partnerId, ...viewer })
  const theirs = await person(app, { email: 'theirs@x.test', partnerId: other.partnerId, ...viewer })
  const id = findBuiltInRole(app.db, viewer.role, viewer.scope) as string
  for (const [caller, holder] of [
    [admin, ours],
    [other.admin, theirs],
  ] as const) {
    const users = await app.call(roleUsers, { params: { id } }, caller)
    expect(users.body.data.map((user) => user.id)).toEqual([holder.id])
    expect((await app.call(readRole, { params: { id } }, caller)).body.userCount).toBe(1)
    const { body } = await app.call(listRoles, {}, caller)
    expect(body.data.find((role) => role.id === id)?.userCount).toBe(1)
  }
})

test('roles that inherit from a built-in role are counted per tenant', async () => {
  await using scene = await twoTenants()
  const { app, admin, org, make, other, olaf, system } = scene
  const id = findBuiltInRole(app.db, 'Org Viewer', 'organization') as string
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  await make({ parentRoleId: id, orgId: other.org.id }, other.admin.token)
  await make({ parentRoleId: id, orgId: sibling.id })
  await make({ parentRoleId: id, orgId: org.id })
  const counted = async (token: string, query: Query = {}) => {
    const { body } = await app.call(readRole, { params: { id }, query }, { token })
    const list = (await app.call(listRoles, { query: { ownerScope: 'all', ...query } }, { token })).body.data ?? []
    const listed = list.find((role) => role.id === id)?.childRoleCount
    return [body.childRoleCount, listed]
  }
  expect(await counted(olaf.token)).toEqual([1, 1])
  expect(await counted(admin.token)).toEqual([2, 2])
  expect(await counted(other.admin.token)).toEqual([1, 1])
  expect(await counted(system.token)).toEqual([3, undefined])
})

test('a role inherits only from one of its own tenant and scope, or from a built-in one', async () => {
  await using scene = await twoTenants()
  const { app, admin, org, roles, make } = scene
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const inSibling = await make({ name: 'Sibling', orgId: sibling.id })
  const inherit = (role: { id: string; orgId: string | null }, parentRoleId: string) =>
    app.call(updateRole, { params: { id: role.id }, query: { orgId: org.id }, body: { parentRoleId } }, admin)
  const builtIn = (name: string, scope: 'partner' | 'organization') => findBuiltInRole(app.db, name, scope) as string
  expect(refusal(await inherit(roles.organization, inSibling.id))).toEqual([400, 'role_parent_missing'])
  expect(refusal(await inherit(roles.organization, roles.partner.id))).toEqual([400, 'role_parent_missing'])
  expect(refusal(await inherit(roles.partner, roles.organization.id))).toEqual([400, 'role_parent_missing'])
  expect(refusal(await inherit(roles.partner, randomUUIDv7()))).toEqual([400, 'role_parent_missing'])
  expect(refusal(await inherit(roles.organization, builtIn('Partner Viewer', 'partner')))).toEqual([
    400,
    'role_parent_scope',
  ])
  const viewer = await inherit(roles.organization, builtIn('Org Viewer', 'organization'))
  expect(viewer.body).toMatchObject({ parentRoleName: 'Org Viewer' })
  expect((await inherit(roles.partner, builtIn('Partner Viewer', 'partner'))).status).toBe(200)
})

test('roles of an archived organization cannot be found, and answer frozen to writes', async () => {
  await using scene = await twoTenants()
  const { app, admin, org, roles } = scene
  setOrganization(app, org.id, { status: 'archived' })
  const call = { params: { id: roles.organization.id }, query: { orgId: org.id } }
  expect(refusal(await app.call(readRole, call, admin))).toEqual([404, 'role_not_found'])
  expect(await customNames(app, admin.token, { orgId: org.id })).toEqual(['Ours'])
  expect(await customNames(app, admin.token, { ownerScope: 'all' })).toEqual(['Ours'])
  for (const answer of [
    await app.call(updateRole, { ...call, body: { name: 'x' } }, admin),
    await app.call(deleteRole, call, admin),
    await app.call(createRole, { body: { name: 'x', orgId: org.id } }, admin),
  ])
    expect(refusal(answer)).toEqual([409, 'ORG_LIFECYCLE_FROZEN'])
})

test('seeding again duplicates no role and grants nothing to a company role with the same name', async () => {
  await using scene = await twoTenants()
  const { app, make, theirs } = scene
  const viewer = await make({ name: 'Partner Viewer' })
  const own = app.db.first(q.selectFrom('roles').selectAll().where('id', '=', theirs.admin))
  const contents = () => [
    app.db.all(q.selectFrom('roles').selectAll().orderBy('id')),
    app.db.all(q.selectFrom('role_permissions').selectAll().orderBy('role_id').orderBy('permission_id')),
    app.db.all(q.selectFrom('permissions').selectAll().orderBy('id')),
  ]
  const before = contents()
  seedRoles(app.db, isoNow(app.clock))
  expect(contents()).toEqual(before)
  expect(own).toMatchObject({ is_system: 1 })
  // Roles of older appliances have no description.
  app.db.run(q.updateTable('roles').set({ description: null }).where('is_system', '=', 1))
  seedRoles(app.db, isoNow(app.clock))
  expect(contents()).toEqual(before)
  const read = await app.call(readRole, { params: { id: viewer.id } }, scene.admin)
  expect(namesOf(read.body.permissions)).toEqual([])
})
