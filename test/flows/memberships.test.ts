import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { type JsonText, toJson } from '../../server/lib/json.ts'
import { authMe, login } from '../../shared/api/auth.ts'
import { listOrganizations } from '../../shared/api/organizations.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { listSites } from '../../shared/api/sites.ts'
import { listJobs } from '../../shared/api/system.ts'
import { bootstrapped, organizationOf, otherCompany, password, person, siteOf } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { refreshWith, signedInJar } from './kit.ts'

const listed = async (app: TestApp, token: string) => {
  const { status, body } = await app.call(listOrganizations, {}, { token })
  return status === 200 ? body.data.map(({ name }) => name) : status
}
const meOf = (app: TestApp, token: string) => app.call(usersMe, {}, { token })

test('a new role applies to the next request with the same token', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { id, token } = await person(app, { email: 'v@x.test', scope: 'partner', partnerId: admin.partnerId })
  expect(await listed(app, token)).toEqual([])
  const give = (name: string) =>
    app.db.run(
      q
        .updateTable('partner_users')
        .set({ role_id: findBuiltInRole(app.db, name, 'partner') as string })
        .where('user_id', '=', id),
    )
  give('Partner Billing')
  expect(await listed(app, token)).toBe(403)
  give('Partner Viewer')
  expect(await listed(app, token)).toEqual([])
})

test('a permission removed from a parent role is gone from its grandchildren on the next request', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { id, token } = await person(app, { email: 'v@x.test', scope: 'partner', partnerId: admin.partnerId })
  const viewer = findBuiltInRole(app.db, 'Partner Viewer', 'partner') as string
  const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' }
  for (const [role, parent] of [
    ['child', viewer],
    ['grandchild', 'child'],
  ] as const)
    app.db.run(
      q.insertInto('roles').values({
        id: role,
        parent_role_id: parent,
        partner_id: admin.partnerId,
        scope: 'partner',
        name: role,
        ...stamps,
      }),
    )
  app.db.run(q.updateTable('partner_users').set({ role_id: 'grandchild' }).where('user_id', '=', id))
  expect(await listed(app, token)).toEqual([])
  app.db.run(q.deleteFrom('role_permissions').where('role_id', '=', viewer))
  expect(await listed(app, token)).toBe(403)
  // The walk up the parents ends where a circle closes.
  app.db.run(q.updateTable('roles').set({ parent_role_id: 'grandchild' }).where('id', '=', viewer))
  expect((await app.call(listSites, {}, { token })).body.error).toBe('No permissions found')
})

test('removing the membership invalidates the token on the next request, even for a platform admin', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const plain = await person(app, { email: 'p@x.test', scope: 'partner', partnerId: admin.partnerId })
  for (const { id, token } of [{ id: admin.userId, token: admin.token }, plain]) {
    expect((await meOf(app, token)).status).toBe(200)
    app.db.run(q.deleteFrom('partner_users').where('user_id', '=', id))
    expect((await meOf(app, token)).status).toBe(401)
  }
})

test('a token stays in its tenant, and after that membership ends a refresh enters the next one', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const other = await otherCompany(app)
  const { id } = await person(app, { email: 'both@x.test', scope: 'partner', partnerId: admin.partnerId })
  app.db.run(
    q.insertInto('partner_users').values({
      id: 'second',
      partner_id: other.partnerId,
      user_id: id,
      role_id: findBuiltInRole(app.db, 'Partner Viewer', 'partner') as string,
      org_access: 'all',
      created_at: '2027-01-01T00:00:00.000Z',
    }),
  )
  const { jar, token } = await signedInJar(app, 'both@x.test', password)
  expect((await meOf(app, token)).body.partnerId).toBe(admin.partnerId)
  app.db.run(q.deleteFrom('partner_users').where('user_id', '=', id).where('partner_id', '=', admin.partnerId))
  expect((await meOf(app, token)).status).toBe(401)
  const next = await refreshWith(app, jar)
  expect(next.status).toBe(200)
  expect((await meOf(app, next.body.tokens?.accessToken ?? '')).body.partnerId).toBe(other.partnerId)
})

test('a demoted system operator is refused on the next request', async () => {
  await using app = await testApp()
  await bootstrapped(app)
  const { id, token } = await person(app, { email: 'sys@x.test', scope: 'system' })
  expect((await meOf(app, token)).body.scope).toBe('system')
  app.db.run(q.updateTable('users').set({ is_platform_admin: 0 }).where('id', '=', id))
  const { status, body } = await meOf(app, token)
  expect([status, body.error]).toEqual([403, 'Insufficient permissions'])
  expect((await app.call(login, { body: { email: 'sys@x.test', password } })).status).toBe(401)
})

test('a demoted platform admin keeps the tenant and loses the platform permissions', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  expect((await app.call(listJobs, {}, { token: admin.token })).status).toBe(200)
  app.db.run(q.updateTable('users').set({ is_platform_admin: 0 }).where('id', '=', admin.userId))
  expect((await app.call(listJobs, {}, { token: admin.token })).status).toBe(403)
  expect((await meOf(app, admin.token)).status).toBe(200)
})

test.each(['pending', 'suspended', 'churned', 'offboarding'] as const)(
  'members of a company that is %s get 403 with its status and message',
  async (status) => {
    await using app = await testApp()
    const admin = await bootstrapped(app)
    const org = await organizationOf(app, admin.token)
    const { token: ofOrg } = await person(app, { email: 'o@x.test', scope: 'organization', orgId: org.id })
    const settings = toJson({ statusMessage: 'Pay first', statusActionUrl: 'https://pay.test', secret: 's' })
    app.db.run(q.updateTable('partners').set({ status, settings }).where('id', '=', admin.partnerId))
    for (const token of [admin.token, ofOrg]) {
      const { status: answered, body } = await app.call(listSites, {}, { token })
      expect(answered).toBe(403)
      expect(body).toEqual({
        error: 'Account inactive',
        message: 'Pay first',
        code: 'PARTNER_INACTIVE',
        status,
        actionUrl: 'https://pay.test',
        actionLabel: null,
      })
    }
    app.db.run(q.updateTable('partners').set({ status: 'active' }).where('id', '=', admin.partnerId))
    expect(await listed(app, admin.token)).toEqual(['Berlin'])
  },
)

test.each(['suspended', 'churned', 'offboarding', 'archived', 'merging', 'purging'] as const)(
  'members of an organization that is %s are refused, and those of its company are not',
  async (status) => {
    await using app = await testApp()
    const admin = await bootstrapped(app)
    const org = await organizationOf(app, admin.token)
    const { token } = await person(app, { email: 'o@x.test', scope: 'organization', orgId: org.id })
    expect((await meOf(app, token)).status).toBe(200)
    app.db.run(q.updateTable('organizations').set({ status }).where('id', '=', org.id))
    const { status: answered, body } = await meOf(app, token)
    expect([answered, body.error]).toEqual([403, 'Tenant is not active'])
    expect((await meOf(app, admin.token)).status).toBe(200)
  },
)

test('an administrator with full access to a company without organizations gets empty lists', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  expect(await listed(app, admin.token)).toEqual([])
  expect((await app.call(listSites, {}, { token: admin.token })).body.pagination.total).toBe(0)
})

test('access to all organizations does not include those of another company created later', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  await organizationOf(app, admin.token)
  expect(await listed(app, admin.token)).toEqual(['Berlin'])
  const other = await otherCompany(app)
  expect(await listed(app, admin.token)).toEqual(['Berlin'])
  expect(await listed(app, other.admin.token)).toEqual(['Umbrella One'])
  app.db.run(q.updateTable('organizations').set({ deleted_at: 'x' }).where('id', '=', other.org.id))
  expect(await listed(app, other.admin.token)).toEqual([])
  const sites = await app.call(listSites, {}, { token: admin.token })
  expect(sites.body.data).toEqual([])
})

test('a site added to or removed from a confined user counts on the next request', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const org = await organizationOf(app, admin.token)
  const [one, two] = [await siteOf(app, admin.token, org.id, 'One'), await siteOf(app, admin.token, org.id, 'Two')]
  const { id, token } = await person(app, {
    email: 'o@x.test',
    scope: 'organization',
    orgId: org.id,
    siteIds: [one.id],
  })
  // Created at the same moment, they may come in either order.
  const seen = async () => (await app.call(listSites, {}, { token })).body.data.map(({ name }) => name).sort()
  const confine = (site_ids: JsonText<string[]> | null) =>
    app.db.run(q.updateTable('organization_users').set({ site_ids }).where('user_id', '=', id))
  expect(await seen()).toEqual(['One'])
  confine(toJson([two.id]))
  expect(await seen()).toEqual(['Two'])
  confine(toJson([]))
  expect(await seen()).toEqual([])
  confine(null)
  expect(await seen()).toEqual(['One', 'Two'])
})

test('revoking the session row invalidates the session at once', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  expect((await app.call(authMe, {}, { token: admin.token })).status).toBe(200)
  app.db.run(q.updateTable('sessions').set({ revoked_at: 'now' }).where('user_id', '=', admin.userId))
  expect((await app.call(authMe, {}, { token: admin.token })).status).toBe(401)
})
