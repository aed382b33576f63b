import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import type { Provider } from '../../server/features/sso/provider/store.ts'
import { whyNotProvisionable } from '../../server/features/sso/providers/default-role.ts'
import { toJson } from '../../server/lib/json.ts'
import { createRole, deleteRole, listRoles, readRole, updateRole } from '../../shared/api/roles.ts'
import { ssoReadiness } from '../../shared/api/sso-providers.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { otherCompany, type Person } from '../helpers/factories.ts'
import { setOrganization } from '../helpers/rows.ts'
import { statusAndError } from './group-kit.ts'
import { give, grantDirectly, grants } from './role-kit.ts'
import { providerScene, storedState } from './sso-provider-kit.ts'

/** The default role of users created by single sign-on, and the user whose permissions cover it. */

type Wanted = NonNullable<InputOf<typeof createRole>['body']>

async function scene() {
  const found = await providerScene()
  const { app, admin, org, somebody } = found
  let made = 0
  const role = async (wanted: Partial<Wanted> = {}) => {
    const body = { name: `Role ${++made}`, orgId: org.id, ...wanted }
    const { status, body: answer } = await app.call(createRole, { body }, { token: admin.token })
    if (status !== 201) throw new Error(`role: ${status} ${JSON.stringify(answer)}`)
    return answer.id
  }
  return {
    ...found,
    role,
    /** A user who may manage single sign-on and holds these other permissions. */
    manager: async (permissions: Parameters<typeof grants>, who: Partial<Person> = {}) => {
      const scope = who.scope ?? 'organization'
      const own = grants('sso:admin', ...permissions)
      const roleId = await role({
        permissions: own,
        ...(scope === 'partner' && { orgId: undefined }),
      } as Partial<Wanted>)
      const person = {
        email: `manager-${made}@x.test`,
        scope,
        orgId: org.id,
        partnerId: admin.partnerId,
        ...who,
      } as Person
      const manager = await somebody(person)
      give(app, manager.id, roleId)
      return { ...manager, roleId }
    },
    /** Why the default role is not given at the moment, as the console and a sign-in report it. */
    problem: async (id: string) => {
      const { body } = await app.call(ssoReadiness, { params: { id } }, { token: admin.token })
      const why = whyNotProvisionable(app.db, found.row(id) as Provider)
      expect(why?.reason ?? null).toBe(body.data.defaultRoleProblem)
      return why && [why.reason, why.code]
    },
  }
}

const notOfOrganization = [400, 'defaultRoleId must be an organization-scoped role belonging to this organization']
const notOfPartner = [400, 'defaultRoleId must be a partner-scoped role belonging to your partner']
const invalid = 'invalid_provider_configuration'

test('the default role must be a role of the owner, and never a built-in one', async () => {
  await using all = await scene()
  const { app, create, update, role, somebody, admin } = all
  const own = await role()
  const ofCompany = await role({ orgId: undefined } as Partial<Wanted>)
  const other = await otherCompany(app)
  const sibling = await somebody({ email: 'f@x.test', scope: 'partner', partnerId: other.partnerId })
  const foreign = await app.call(createRole, { body: { name: 'R', orgId: other.org.id } }, { token: sibling.token })
  const builtIn = (name: string, scope: 'partner' | 'organization') => findBuiltInRole(app.db, name, scope) as string
  const narrow = (await create({})).body.data.id
  const wide = (await create({ ownerScope: 'partner' })).body.data.id
  const companyAdmin = app.db.first(q.selectFrom('partner_users').select('role_id').where('user_id', '=', admin.userId))
  for (const id of [ofCompany, foreign.body.id, builtIn('Org Viewer', 'organization'), crypto.randomUUID()]) {
    const before = storedState(app)
    expect(statusAndError(await create({ defaultRoleId: id }))).toEqual(notOfOrganization)
    expect(statusAndError(await update(narrow, { defaultRoleId: id, name: 'x' }))).toEqual(notOfOrganization)
    expect(storedState(app)).toEqual(before)
  }
  for (const id of [own, foreign.body.id, builtIn('Partner Viewer', 'partner'), companyAdmin?.role_id ?? '']) {
    const before = storedState(app)
    expect((await create({ ownerScope: 'partner', defaultRoleId: id })).status).toBe(400)
    expect((await update(wide, { defaultRoleId: id })).status).toBe(400)
    expect(storedState(app)).toEqual(before)
  }
  expect(statusAndError(await update(wide, { defaultRoleId: own }))).toEqual(notOfPartner)
  expect((await update(narrow, { defaultRoleId: own })).body.data.defaultRoleId).toBe(own)
  expect((await update(wide, { defaultRoleId: ofCompany })).body.data.defaultRoleId).toBe(ofCompany)
})

test('the default role must not have permissions that the caller lacks, not even inherited ones', async () => {
  await using all = await scene()
  const { app, role, manager } = all
  const parent = await role({ permissions: grants('devices:read', 'scripts:execute') })
  const child = await role({ permissions: grants('devices:read'), parentRoleId: parent })
  const without = await manager(['devices:read'])
  const { id } = (await without.create({})).body.data
  const beyond = [400, 'The default role permits scripts:execute, which you do not have']
  const before = storedState(app)
  expect(statusAndError(await without.create({ defaultRoleId: child }))).toEqual(beyond)
  expect(statusAndError(await without.update(id, { defaultRoleId: child }))).toEqual(beyond)
  expect(storedState(app)).toEqual(before)
  const having = await manager(['devices:read', 'scripts:execute'])
  expect((await having.update(id, { defaultRoleId: child })).body.data).toMatchObject({
    defaultRoleId: child,
    defaultRoleConfiguredBy: having.id,
  })
  expect((await without.create({ defaultRoleId: await role() })).status).toBe(201)
})

test('a legacy role with a wildcard or an unknown permission cannot be the default role', async () => {
  await using all = await scene()
  const { app, create, role } = all
  for (const [resource, action] of [
    ['*', '*'],
    ['devices', '*'],
    ['moons', 'read'],
  ] as const) {
    const id = await role()
    grantDirectly(app, id, { resource, action })
    // The caller holds everything.
    const error = `The default role permits ${resource}:${action}, which you do not have`
    expect(statusAndError(await create({ defaultRoleId: id }))).toEqual([400, error])
  }
})

test('an empty role clears it, omitting it keeps role and configurer, and setting it again updates the configurer', async () => {
  await using all = await scene()
  const { admin, create, update, role, manager, row } = all
  const given = await role()
  const { id } = (await create({ defaultRoleId: given })).body.data
  const stamp = () => [row(id)?.default_role_id, row(id)?.default_role_configured_by]
  expect(stamp()).toEqual([given, admin.userId])
  const other = await manager([])
  await other.update(id, { name: 'By somebody else' })
  expect(stamp()).toEqual([given, admin.userId])
  await other.update(id, { defaultRoleId: given })
  expect(stamp()).toEqual([given, other.id])
  await update(id, { defaultRoleId: '' })
  expect(stamp()).toEqual([null, null])
  await update(id, { defaultRoleId: given })
  await update(id, { defaultRoleId: null })
  expect(stamp()).toEqual([null, null])
  expect((await create({})).body.data.defaultRoleConfiguredBy).toBeNull()
})

test('the default role must stay within the present permissions of its configurer, or be set again by another user', async () => {
  await using all = await scene()
  const { app, update, role, manager, problem } = all
  const given = await role({ permissions: grants('devices:read', 'devices:execute') })
  const chooser = await manager(['devices:read', 'devices:execute'])
  const { id } = (await chooser.create({ defaultRoleId: given })).body.data
  expect(await problem(id)).toBeNull()
  const less = await role({ permissions: grants('devices:read') })
  give(app, chooser.id, less)
  expect(await problem(id)).toEqual(['default_role_exceeds_configurer_permissions', invalid])
  // This also applies when the role gains permissions.
  const repaired = await update(id, { defaultRoleId: given })
  expect([repaired.status, await problem(id)]).toEqual([200, null])
  give(app, chooser.id, chooser.roleId)
  await chooser.update(id, { defaultRoleId: given })
  const permissions = grants('devices:read', 'devices:execute', 'devices:delete')
  await app.call(
    updateRole,
    { params: { id: given }, query: { orgId: all.org.id }, body: { permissions } },
    { token: all.admin.token },
  )
  expect(await problem(id)).toEqual(['default_role_exceeds_configurer_permissions', invalid])
})

test('each problem of the default role has a code, and the first one is reported', async () => {
  await using all = await scene()
  const { app, org, update, role, manager, problem, row } = all
  const given = await role()
  const chooser = await manager([])
  const { id } = (await chooser.create({ defaultRoleId: given })).body.data
  const set = (table: 'users', values: object) =>
    app.db.run(q.updateTable(table).set(values).where('id', '=', chooser.id))
  expect(await problem(id)).toBeNull()
  app.db.run(
    q
      .updateTable('organization_users')
      .set({ site_ids: toJson([]) })
      .where('user_id', '=', chooser.id),
  )
  expect(await problem(id), 'confined to sites').toEqual(['default_role_configurer_no_permissions', invalid])
  app.db.run(q.deleteFrom('organization_users').where('user_id', '=', chooser.id))
  expect(await problem(id), 'no member').toEqual(['default_role_configurer_no_permissions', invalid])
  set('users', { status: 'disabled' })
  expect(await problem(id), 'disabled').toEqual(['default_role_configurer_inactive', invalid])
  app.db.run(q.deleteFrom('users').where('id', '=', chooser.id))
  // The creator of the provider does not replace the configurer.
  expect(row(id)?.default_role_configured_by).toBeNull()
  expect(await problem(id), 'gone').toEqual(['default_role_configurer_unknown', invalid])
  app.db.run(q.updateTable('sso_providers').set({ default_role_id: await role({ orgId: undefined } as object) }))
  expect(await problem(id), 'of the company').toEqual(['default_role_missing', 'default_role_required'])
  await update(id, { defaultRoleId: '' })
  expect(await problem(id), 'none').toEqual(['default_role_missing', 'default_role_required'])
  await update(id, { defaultRoleId: given })
  expect(await problem(id)).toBeNull()
  setOrganization(app, org.id, { status: 'suspended' })
  expect(await problem(id), 'of the company, which is open').toBeNull()
})

test('a member of the company can configure the default role of an organization they see', async () => {
  await using all = await scene()
  const { app, org, role, manager, problem, admin, somebody } = all
  const given = await role({ permissions: grants('devices:read') })
  const partner: Partial<Person> = { scope: 'partner', orgAccess: 'selected', orgIds: [org.id] }
  const chooser = await manager(['devices:read'], partner)
  const { id } = (await chooser.create({ defaultRoleId: given })).body.data
  expect(await problem(id)).toBeNull()
  const reach = (values: object) =>
    app.db.run(q.updateTable('partner_users').set(values).where('user_id', '=', chooser.id))
  for (const elsewhere of [
    { org_access: 'none', org_ids: null },
    { org_access: 'selected', org_ids: toJson([crypto.randomUUID()]) },
  ]) {
    reach(elsewhere)
    expect(await problem(id)).toEqual(['default_role_configurer_no_permissions', invalid])
  }
  reach({ org_access: 'all', org_ids: null })
  expect(await problem(id)).toBeNull()
  // Permissions of two memberships are not combined: one of them must permit everything.
  const viewer = await role({ permissions: grants('devices:read') })
  const wider = await role({ permissions: grants('devices:read', 'devices:execute') })
  const half = await role({ orgId: undefined, permissions: grants('sso:admin', 'devices:execute') } as Partial<Wanted>)
  const both = await somebody({ email: 'both@x.test', scope: 'organization', orgId: org.id })
  give(app, both.id, viewer)
  const membership = app.db.first(q.selectFrom('partner_users').selectAll().where('user_id', '=', admin.userId))
  app.db.run(
    q
      .insertInto('partner_users')
      .values({ ...membership, id: crypto.randomUUID(), user_id: both.id, role_id: half } as never),
  )
  app.db.run(q.updateTable('sso_providers').set({ default_role_id: wider, default_role_configured_by: both.id }))
  expect(await problem(id)).toEqual(['default_role_exceeds_configurer_permissions', invalid])
  const operator = await somebody({ email: 'o@x.test', scope: 'system' })
  expect((await operator.update(id, { defaultRoleId: wider })).status).toBe(200)
  expect(await problem(id)).toBeNull()
})

test('a default role cannot be deleted, and the refusal counts its providers', async () => {
  await using all = await scene()
  const { app, org, admin, create, update, role } = all
  const given = await role()
  const one = (await create({ defaultRoleId: given })).body.data.id
  const two = (await create({ defaultRoleId: given })).body.data.id
  const call = { params: { id: given }, query: { orgId: org.id } }
  const remove = () => app.call(deleteRole, call, { token: admin.token })
  const before = storedState(app)
  const refused = await remove()
  expect([refused.status, refused.body]).toMatchObject([400, { code: 'role_has_sso_providers', ssoProviderCount: 2 }])
  expect(storedState(app)).toEqual(before)
  expect((await app.call(readRole, call, { token: admin.token })).body.ssoProviderCount).toBe(2)
  const listed = await app.call(listRoles, { query: { ownerScope: 'all' } }, { token: admin.token })
  expect(listed.body.data.find(({ id }) => id === given)?.ssoProviderCount).toBe(2)
  await update(one, { defaultRoleId: '' })
  await all.remove(two)
  expect((await remove()).status).toBe(200)
})
