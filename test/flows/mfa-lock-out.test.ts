import { randomUUIDv7 } from 'node:crypto'
import type { Updateable } from 'kysely'
import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import type { UserTable } from '../../server/features/access/tables.ts'
import { toJson } from '../../server/lib/json.ts'
import { updateOrganization } from '../../shared/api/organizations.ts'
import { readOwnPartner, type SecuritySettings, updateOwnPartner } from '../../shared/api/partners.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, organizationOf, otherCompany } from '../helpers/factories.ts'
import { auditOf, setOrganization, setPartner } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

const sms = { mfa_enabled: 1, mfa_method: 'sms', phone_number: '+491701234567', phone_verified: 1 } as const
const totp = { mfa_enabled: 1, mfa_method: 'totp', mfa_secret: 'sealed' } as const
const recoveryOnly = { mfa_enabled: 1, mfa_method: 'totp', mfa_recovery_codes: toJson(['x']) } as const
const off = (...methods: ('sms' | 'totp')[]) => Object.fromEntries(methods.map((method) => [method, false]))

const stamp = '2026-01-01T00:00:00.000Z'
let count = 0

/** A user with these factors who is a member of each of these tenants. */
function member(
  app: TestApp,
  factors: Updateable<UserTable>,
  where: { partnerId?: string; orgIds?: string[] },
): string {
  const id = randomUUIDv7()
  const name = `m${++count}`
  const stamps = { created_at: stamp, updated_at: stamp }
  app.db.run(
    q.insertInto('users').values({ id, email: `${name}@x.test`, name, status: 'active', ...stamps, ...factors }),
  )
  const membership = { user_id: id, created_at: stamp }
  if (where.partnerId)
    app.db.run(
      q.insertInto('partner_users').values({
        ...membership,
        id: randomUUIDv7(),
        partner_id: where.partnerId,
        role_id: findBuiltInRole(app.db, 'Partner Viewer', 'partner') as string,
        org_access: 'none',
      }),
    )
  for (const orgId of where.orgIds ?? [])
    app.db.run(
      q.insertInto('organization_users').values({
        ...membership,
        id: randomUUIDv7(),
        org_id: orgId,
        role_id: findBuiltInRole(app.db, 'Org Viewer', 'organization') as string,
      }),
    )
  return id
}

const withPasskey = (app: TestApp, userId: string, disabled_at: string | null = null) =>
  app.db.run(
    q.insertInto('user_passkeys').values({
      id: randomUUIDv7(),
      user_id: userId,
      credential_id: userId,
      public_key: 'x',
      counter: 0,
      rp_id: 'localhost',
      device_type: 'singleDevice',
      backed_up: 0,
      transports: toJson([]),
      name: 'key',
      disabled_at,
      created_at: stamp,
      updated_at: stamp,
    }),
  )

async function scene() {
  const app = await testApp()
  const admin = await bootstrapped(app)
  const org = await organizationOf(app, admin.token)
  const { token, partnerId } = admin
  const patch = (security: SecuritySettings, more: object = {}) =>
    app.call(updateOwnPartner, { body: { ...more, settings: { security } } }, { token })
  const patchOrg = (security: SecuritySettings) =>
    app.call(updateOrganization, { params: { id: org.id }, body: { settings: { security } } }, { token })
  const store = (allowedMfaMethods: object) =>
    setPartner(app, partnerId, { settings: toJson({ security: { allowedMfaMethods } }) })
  return { app, admin, partnerId, org, patch, patchOrg, store, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

test('disabling the only factor of some users is refused with their number, and nothing is stored', async () => {
  await using one = await scene()
  const { app, admin, partnerId, org, patch } = one
  member(app, sms, { partnerId })
  member(app, sms, { orgIds: [org.id] })
  member(app, totp, { partnerId })
  member(app, {}, { partnerId })
  const refused = await patch({ allowedMethods: { sms: false } }, { name: 'Other' })
  expect([refused.status, refused.body.code, refused.body.count, refused.body.countCapped]).toEqual([
    409,
    'mfa_policy_would_lock_out_users',
    2,
    false,
  ])
  const { body } = await app.call(readOwnPartner, {}, { token: admin.token })
  expect([body.name, body.settings]).toEqual(['Acme', {}])
  expect(auditOf(app, 'partner.settings.update')).toEqual([])
  expect((await patch({ allowedMethods: { totp: false, sms: false } })).body.count).toBe(3)
  expect((await patch({ requireMfa: true })).status, 'who has none enrols').toBe(200)
})

test('users with another permitted factor, or without one already, are not counted', async () => {
  await using one = await scene()
  const { app, partnerId, patch, store } = one
  withPasskey(app, member(app, sms, { partnerId }))
  member(app, { ...sms, mfa_secret: 'sealed' }, { partnerId })
  member(app, { mfa_enabled: 1, mfa_method: 'passkey' }, { partnerId })
  member(app, recoveryOnly, { partnerId })
  expect((await patch({ allowedMethods: off('sms') })).status).toBe(200)

  withPasskey(app, member(app, sms, { partnerId }), stamp)
  store({})
  expect((await patch({ allowedMethods: off('sms') })).body.count, 'a disabled passkey is none').toBe(1)
  store(off('sms'))
  expect((await patch({ allowedMethods: off('sms'), mfaEnrollmentGraceDays: 5 })).status, 'stranded already').toBe(200)
})

test('a user in several of the tenants counts once, and users of other companies do not count', async () => {
  await using one = await scene()
  const { app, admin, partnerId, org, patch } = one
  const second = await organizationOf(app, admin.token, 'Second')
  member(app, sms, { partnerId, orgIds: [org.id, second.id] })
  const other = await otherCompany(app)
  member(app, sms, { partnerId: other.partnerId, orgIds: [other.org.id] })
  expect((await patch({ allowedMethods: off('sms') })).body.count).toBe(1)
})

test('the rule of an organization counts its own people under the settings of the partner', async () => {
  await using one = await scene()
  const { app, partnerId, org, patch, patchOrg, store } = one
  member(app, sms, { partnerId })
  const theirs = member(app, sms, { orgIds: [org.id] })
  expect((await patchOrg({ allowedMfaMethods: off('sms') })).body).toMatchObject({
    code: 'mfa_policy_would_lock_out_users',
    count: 1,
  })
  withPasskey(app, theirs)
  expect((await patchOrg({ allowedMfaMethods: off('sms') })).status).toBe(200)

  // The settings of the partner replace those of the organization: text messages return there and end elsewhere.
  member(app, totp, { orgIds: [org.id] })
  setOrganization(app, org.id, { settings: toJson({ security: { allowedMfaMethods: off('totp') } }) })
  store({ totp: true })
  expect((await patch({ allowedMfaMethods: { totp: false } })).body.count, 'hidden until now').toBe(1)
})

test('the count is capped at a thousand and marked as capped', async () => {
  await using one = await scene()
  const { app, partnerId, patch } = one
  app.db.transaction(() => {
    for (let n = 0; n < 1000; n++) member(app, sms, { partnerId })
  })
  expect((await patch({ allowedMethods: off('sms') })).body).toMatchObject({ count: 1000, countCapped: false })
  member(app, sms, { partnerId })
  expect((await patch({ allowedMethods: off('sms') })).body).toMatchObject({ count: 1000, countCapped: true })
})

test('when the count fails, nothing is written', async () => {
  await using one = await scene()
  const { app, admin, patch } = one
  app.db.statement('ALTER TABLE user_passkeys RENAME TO broken').run()
  expect((await patch({ allowedMethods: off('sms') }, { name: 'Other' })).status).toBe(503)
  app.db.statement('ALTER TABLE broken RENAME TO user_passkeys').run()
  expect((await app.call(readOwnPartner, {}, { token: admin.token })).body).toMatchObject({
    name: 'Acme',
    settings: {},
  })
})
