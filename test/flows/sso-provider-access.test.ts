import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { createSsoProvider, readSsoProvider, ssoReadiness, testSsoProvider } from '../../shared/api/sso-providers.ts'
import { member, organizationOf, otherCompany } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { sessionOf } from '../helpers/sessions.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { statusAndError } from './group-kit.ts'
import { grantDirectly } from './role-kit.ts'
import { providerScene, refuses } from './sso-provider-kit.ts'

/** Who can see and who can change identity providers. */

const builtIn = (app: TestApp, name: string) => findBuiltInRole(app.db, name, 'organization') as string
/** A grant that somebody may have added to the built-in role. */
const letOrgAdmins = (app: TestApp) =>
  grantDirectly(app, builtIn(app, 'Org Admin'), { resource: 'sso', action: 'admin' })

test('permission, second factor and body are checked in this order, and either of two permissions will do', async () => {
  await using scene = await providerScene()
  const { app, org, admin } = scene
  const viewer = await scene.somebody({ email: 'v@x.test', scope: 'organization', orgId: org.id, role: 'Org Viewer' })
  const nothing = { body: {} as never }
  const call = (token?: string) => app.call(createSsoProvider, nothing, { token }).then(statusAndError)
  expect(await call()).toEqual([401, 'Missing or invalid authorization header'])
  expect(await call(viewer.token)).toEqual([403, 'Permission denied'])
  expect(await call(await sessionOf(app, admin.userId))).toEqual([403, 'MFA required'])
  const [status, error] = await call(admin.token)
  expect([status, error]).toEqual([400, expect.stringContaining('name: ')])
  // Reading needs only a membership.
  expect((await viewer.list()).status).toBe(200)
  grantDirectly(app, builtIn(app, 'Org Viewer'), { resource: 'sso', action: 'admin' })
  expect((await viewer.create()).status).toBe(201)
})

test('a provider of the whole company is not available to members of one organization', async () => {
  await using scene = await providerScene()
  const { app, org, admin, create, list } = scene
  const wide = await create({ ownerScope: 'partner', orgId: randomUUID(), partnerId: randomUUID() } as object)
  expect(wide.body.data).toMatchObject({ orgId: null, partnerId: admin.partnerId })
  const { id } = wide.body.data
  const { id: narrow } = (await create({})).body.data
  expect(auditOf(app, 'sso.provider.create')[0]).toMatchObject({
    org_id: null,
    partner_id: admin.partnerId,
    details: { partnerId: admin.partnerId },
  })
  letOrgAdmins(app)
  const user = await scene.somebody({ email: 'u@x.test', scope: 'organization', orgId: org.id })
  expect((await user.list()).body.data.map((one) => one.id)).toEqual([narrow])
  expect(statusAndError(await user.list({ scope: 'partner' }))).toEqual([400, 'Partner scope required'])
  const missing = [404, 'Provider not found']
  await refuses(app, () => user.read(id), missing)
  expect((await user.update(narrow, { name: 'Own' })).status).toBe(200)
  for (const call of [
    () => user.test(id),
    () => user.update(id, { name: 'x' }),
    () => user.setStatus(id, 'active'),
    () => user.remove(id),
  ])
    await refuses(app, call, missing)
  await refuses(app, () => user.create({ ownerScope: 'partner' }), [
    400,
    'Partner scope required for a partner-axis SSO provider',
  ])
  expect((await list({ scope: 'partner', orgId: randomUUID() })).body.data).toMatchObject([
    { id, partnerId: admin.partnerId },
  ])
  expect((await list({ orgId: org.id })).body.data.map((one) => one.id)).toEqual([narrow])
  const selected = await scene.somebody({
    email: 's@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    orgAccess: 'selected',
    orgIds: [org.id],
  })
  expect((await selected.read(id)).status).toBe(200)
  const whole = [403, 'Modifying a partner-wide policy requires full partner org access (orgAccess must be "all")']
  await refuses(app, () => selected.update(id, { name: 'x' }), whole)
  // Testing counts as reading; this provider has no issuer to contact.
  await refuses(app, () => selected.test(id), [400, 'Provider is not fully configured'])
  await refuses(app, () => selected.create({ ownerScope: 'partner' }), whole)
  expect((await selected.update(narrow, { name: 'Narrow' })).status).toBe(200)
})

test('providers are visible to members with access to their organization', async () => {
  await using scene = await providerScene()
  const { app, org, admin, create } = scene
  const { id } = (await create({})).body.data
  const wide = (await create({ ownerScope: 'partner' })).body.data.id
  letOrgAdmins(app)
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const elsewhere = await otherCompany(app)
  const stranger = await scene.somebody({ email: 'f@x.test', scope: 'partner', partnerId: elsewhere.partnerId })
  const neighbour = await scene.somebody({ email: 'n@x.test', scope: 'organization', orgId: sibling.id })
  const confined = await scene.somebody({ email: 'c@x.test', scope: 'organization', orgId: org.id, siteIds: [] })
  const operator = await scene.somebody({ email: 'o@x.test', scope: 'system' })
  const missing = [404, 'Provider not found']
  const denied = [403, 'Access denied']
  const calls = (who: typeof stranger, of: string) => [
    () => who.read(of),
    () => who.update(of, { name: 'Mine' }),
    () => who.setStatus(of, 'active'),
    () => who.test(of),
    () => who.remove(of),
    () => app.call(ssoReadiness, { params: { id: of } }, { token: who.token }),
  ]
  for (const [who, of, wanted] of [
    [stranger, id, missing],
    [stranger, wide, missing],
    [stranger, randomUUID(), missing],
    [neighbour, id, missing],
    [confined, id, missing],
  ] as const)
    for (const call of calls(who, of)) await refuses(app, call, [...wanted])
  for (const who of [stranger, neighbour]) {
    await refuses(app, () => who.create({}), [403, 'Access to this organization denied'])
    expect(statusAndError(await who.list({ orgId: org.id }))).toEqual([403, 'Access to this organization denied'])
  }
  expect(statusAndError(await confined.list())).toEqual(denied)
  await refuses(app, () => scene.create({ orgId: undefined } as object), [400, 'Organization ID required'])
  await refuses(app, () => operator.create({ orgId: undefined } as object), [400, 'Organization ID required'])
  expect((await neighbour.create({ orgId: undefined } as object)).body.data.orgId).toBe(sibling.id)
  expect((await stranger.create({ orgId: undefined } as object)).body.data.orgId).toBe(elsewhere.org.id)
  // An operator, who belongs to no company.
  expect((await operator.list({ orgId: org.id })).body.data).toHaveLength(1)
  expect(statusAndError(await operator.list({ scope: 'partner' }))).toEqual([400, 'Partner scope required'])
  expect((await operator.list({ scope: 'partner', partnerId: admin.partnerId })).body.data).toMatchObject([
    { id: wide },
  ])
  expect((await operator.update(wide, { name: 'By the operator' })).status).toBe(200)
  await refuses(app, () => operator.create({ ownerScope: 'partner' }), [
    400,
    'Partner scope required for a partner-axis SSO provider',
  ])
  setOrganization(app, org.id, { status: 'archived' })
  expect(statusAndError(await scene.read(id))).toEqual(missing)
  expect((await scene.update(id, { name: 'x' })).body.code).toBe('ORG_LIFECYCLE_FROZEN')
  expect((await app.call(readSsoProvider, { params: { id: 'x' } }, { token: admin.token })).status).toBe(400)
  expect((await app.call(testSsoProvider, { params: { id: 'x' } }, { token: admin.token })).status).toBe(400)
})

test('the impact of enforcement counts users who would have to use the provider and never did', async () => {
  await using scene = await providerScene()
  const { app, org, admin, create } = scene
  const { id } = (await create({})).body.data
  const wide = (await create({ ownerScope: 'partner' })).body.data.id
  const people = ['ann', 'bob', 'cy', 'dee'].map((name) => ({ email: `${name}@x.test`, name }))
  const [ann, bob, cy, dee] = await Promise.all(
    people.map((who) => member(app, { ...who, scope: 'organization', orgId: org.id, role: 'Org Viewer' })),
  )
  const now = '2027-01-01T00:00:00.000Z'
  const connect = (userId: string | undefined, lastLogin: string | null) =>
    app.db.run(
      q.insertInto('user_sso_identities').values({
        id: randomUUID(),
        user_id: userId ?? '',
        provider_id: id,
        external_id: randomUUID(),
        last_login_at: lastLogin,
        created_at: now,
        updated_at: now,
      }),
    )
  connect(ann?.id, now)
  // Connected from the profile, but never used to sign in.
  connect(bob?.id, null)
  app.db.run(
    q
      .updateTable('users')
      .set({ status: 'disabled' })
      .where('id', '=', cy?.id ?? ''),
  )
  // A technician belongs to the company, which has its own rules.
  const technician = {
    ...app.db.first(q.selectFrom('partner_users').selectAll()),
    id: randomUUID(),
    user_id: dee?.id ?? '',
  }
  app.db.run(q.insertInto('partner_users').values(technician as never))
  await member(app, { email: 'operator@x.test', scope: 'system' })
  const readiness = (of: string, token = admin.token) => app.call(ssoReadiness, { params: { id: of } }, { token })
  expect((await readiness(id)).body.data).toEqual({
    members: 2,
    signedIn: 1,
    others: [{ id: bob?.id, name: 'bob', email: 'bob@x.test' }],
    breakGlass: 1,
    connections: 2,
    defaultRoleProblem: 'default_role_missing',
  })
  expect((await readiness(wide)).body.data).toMatchObject({
    members: 2,
    signedIn: 0,
    others: [{ name: 'Ada Admin' }, { name: 'dee' }],
    // No users are created there, whatever the setting.
    defaultRoleProblem: null,
  })
  // Managing sign-in does not include managing people.
  const selected = await scene.somebody({
    email: 's@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    orgAccess: 'selected',
    orgIds: [org.id],
  })
  expect((await readiness(id, selected.token)).body.data).toMatchObject({ members: 2, others: [] })
  expect((await readiness(wide, selected.token)).status).toBe(403)
})
