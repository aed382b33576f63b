import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { toJson } from '../../server/lib/json.ts'
import { isoNow } from '../../server/platform/clock.ts'
import { listDevices } from '../../shared/api/devices.ts'
import { inviteUser, listUsers, removeUser } from '../../shared/api/people.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { createRole } from '../../shared/api/roles.ts'
import { updateSsoProvider } from '../../shared/api/sso-providers.ts'
import { ssoExchange } from '../../shared/api/sso-sign-in.ts'
import { member, organizationOf, otherCompany, person } from '../helpers/factories.ts'
import { auditOf, setOrganization, setPartner } from '../helpers/rows.ts'
import { readyProvider, type SsoScene, ssoScene } from '../helpers/sso-kit.ts'
import { setProvider } from '../helpers/sso-rows.ts'
import type { TestApp } from '../helpers/test-app.ts'

/** Which account belongs to an identity, and when a new one is created. */

let scene: SsoScene
/** A membership of the organization. */
let roleId: string
let partnerLogin: string
let partnerProvider: string

beforeAll(async () => {
  scene = await ssoScene()
  const { app, idp, admin, org } = scene
  const wanted = { name: 'Reader', orgId: org.id, permissions: [{ resource: 'devices', action: 'read' }] }
  const role = await app.call(createRole, { body: wanted }, { token: admin.token })
  expect(role.status, JSON.stringify(role.body)).toBe(201)
  roleId = role.body.id
  const company = { ownerScope: 'partner', autoProvision: true } as const
  partnerProvider = (await readyProvider(app, admin.token, idp, company)).id
  partnerLogin = `/api/v1/sso/login/partner/${admin.partnerId}`
})
afterAll(() => scene[Symbol.asyncDispose]())
beforeEach(() => {
  const { app, org, provider } = scene
  app.db.run(q.deleteFrom('user_sso_identities'))
  app.db.run(q.deleteFrom('sso_verified_domains'))
  setOrganization(app, org.id, { status: 'active' })
  const mapping = toJson({ email: 'email', name: 'name', firstName: 'given_name', lastName: 'family_name' })
  const settings = { status: 'active', auto_provision: 1, allowed_domains: null, attribute_mapping: mapping } as const
  setProvider(app, provider.id, {
    ...settings,
    default_role_id: roleId,
    default_role_configured_by: scene.admin.userId,
  })
})

/** The page where a sign-in as `who` ends; successful ones all look alike. */
async function arrive(who: string, url = scene.loginUrl): Promise<string> {
  const { path } = await scene.browser().visit(`${url}?login_hint=${who}@corp.test`)
  return path.replace(/ssoCode=[\w-]{43}$/, 'ssoCode=…')
}
const within = '/#ssoCode=…'
const refused = (code: string) => `/login?error=${code}`

let others = 0
/** A new person, known to the provider and not to the appliance. */
function stranger(claims: object = {}): { who: string; email: string } {
  const who = `person${++others}`
  const email = `${who}@corp.test`
  scene.idp.people[who] = { email, email_verified: true, name: `Person ${others}`, ...claims }
  return { who, email }
}

const ofOrganization = () => ({ scope: 'organization', orgId: scene.org.id }) as const
const ofCompany = () => ({ scope: 'partner', partnerId: scene.admin.partnerId }) as const
const usersBy = (app: TestApp, email: string) =>
  app.db.all(q.selectFrom('users').selectAll().where('email', '=', email))
const setUser = (id: string, values: object) =>
  scene.app.db.run(q.updateTable('users').set(values).where('id', '=', id))
const identities = (userId?: string) =>
  scene.app.db.all(
    q
      .selectFrom('user_sso_identities')
      .selectAll()
      .$if(userId !== undefined, (query) => query.where('user_id', '=', userId as string)),
  )
const rejections = () =>
  auditOf(scene.app, 'sso.callback.rejected').map(({ details }) => [details.phase, details.reason])

function prove(domain: string, orgId = scene.org.id): void {
  const { app } = scene
  const now = isoNow(app.clock)
  const row = { id: randomUUIDv7(), org_id: orgId, domain, verification_token: 'x', verified_at: now }
  app.db.run(q.insertInto('sso_verified_domains').values({ ...row, created_at: now, updated_at: now }))
}

/** Connects an identity as the profile does. */
function connect(userId: string, subject: string, providerId = scene.provider.id): void {
  const now = isoNow(scene.app.clock)
  const row = { id: randomUUIDv7(), user_id: userId, provider_id: providerId, external_id: subject }
  scene.app.db.run(q.insertInto('user_sso_identities').values({ ...row, created_at: now, updated_at: now }))
}

describe('a new user', () => {
  test('gets an account of the organization with the permissions of the default role', async () => {
    const { app, org, provider, admin } = scene
    const browser = scene.browser()
    const landing = await browser.visit(`${scene.loginUrl}?login_hint=bob@corp.test&redirect=/devices`)
    expect(landing.path).toMatch(/^\/devices#ssoCode=[\w-]{43}$/)
    const [bob] = usersBy(app, 'bob@corp.test')
    expect(bob).toMatchObject({ name: 'Bob Baker', status: 'active', password_hash: null, is_platform_admin: 0 })
    expect(bob?.email_verified_at, 'the word of a provider proves no mailbox').toBeNull()
    expect(bob?.last_login_at).toBe(isoNow(app.clock))
    const membership = app.db.all(q.selectFrom('organization_users').selectAll().where('user_id', '=', String(bob?.id)))
    expect(membership).toMatchObject([{ org_id: org.id, role_id: roleId, site_ids: null, device_group_ids: null }])
    expect(identities(bob?.id)).toMatchObject([
      { provider_id: provider.id, external_id: 'bob', email: 'bob@corp.test', last_login_at: isoNow(app.clock) },
    ])
    expect(auditOf(app, 'sso.user.provision').at(-1)).toMatchObject({
      org_id: org.id,
      partner_id: admin.partnerId,
      resource_id: bob?.id,
      actor_id: bob?.id,
      details: { providerId: provider.id, roleId, configuredBy: admin.userId },
    })
    const code = landing.url.hash.replace('#ssoCode=', '')
    const token = (await app.call(ssoExchange, { body: { code } })).body.accessToken
    expect((await app.call(usersMe, {}, { token })).body).toMatchObject({ email: 'bob@corp.test' })
    expect((await app.call(listDevices, {}, { token })).status).toBe(200)
    expect((await app.call(listUsers, {}, { token })).status).toBe(403)
  })

  test('returns as the same user, with the tokens and the address of the latest sign-in', async () => {
    const { app } = scene
    const { who, email } = stranger()
    expect(await arrive(who)).toBe(within)
    const [first] = identities(usersBy(app, email)[0]?.id)
    app.clock.advance(1000)
    expect(await arrive(who)).toBe(within)
    const [second] = identities(usersBy(app, email)[0]?.id)
    expect(second).toMatchObject({ id: first?.id, external_id: who, created_at: first?.created_at })
    expect(second?.last_login_at).not.toBe(first?.last_login_at)
    expect(second?.access_token).not.toBe(first?.access_token)
    expect(second?.access_token).toMatch(/^v1:/)
    expect(usersBy(app, email)).toHaveLength(1)
  })

  test('is refused where accounts are created by hand', async () => {
    setProvider(scene.app, scene.provider.id, { auto_provision: 0 })
    const { who, email } = stranger()
    expect(await arrive(who)).toBe(refused('user_not_found'))
    expect(usersBy(scene.app, email)).toEqual([])
    expect(await arrive('alice')).toBe(within)
  })

  const roles: [what: string, values: object, code: string, reason: string][] = [
    ['no role', { default_role_id: null }, 'default_role_required', 'default_role_missing'],
    [
      'a role that nobody answers for',
      { default_role_configured_by: null },
      'invalid_provider_configuration',
      'default_role_configurer_unknown',
    ],
  ]
  test.each(roles)('is refused with %s, while existing users are let in', async (_, values, code, reason) => {
    setProvider(scene.app, scene.provider.id, values)
    const { who, email } = stranger()
    expect(await arrive(who)).toBe(refused(code))
    expect(usersBy(scene.app, email)).toEqual([])
    expect(rejections().at(-1)).toEqual(['jit_default_role', reason])
    expect(await arrive('alice')).toBe(within)
  })

  test('is refused once the configurer of the role lost permissions, until somebody else sets it again', async () => {
    const { app, admin, provider } = scene
    const chooser = await person(app, { email: 'chooser@acme.test', ...ofCompany() })
    setProvider(app, provider.id, { default_role_configured_by: chooser.id })
    expect(await arrive(stranger().who)).toBe(within)
    const viewer = findBuiltInRole(app.db, 'Partner Viewer', 'partner') as string
    app.db.run(
      q.updateTable('partner_users').set({ org_access: 'none', role_id: viewer }).where('user_id', '=', chooser.id),
    )
    const { who } = stranger()
    expect(await arrive(who)).toBe(refused('invalid_provider_configuration'))
    expect(rejections().at(-1)).toEqual(['jit_default_role', 'default_role_configurer_no_permissions'])
    expect(await arrive('alice')).toBe(within)
    const params = { id: provider.id }
    const again = await app.call(updateSsoProvider, { params, body: { defaultRoleId: roleId } }, { token: admin.token })
    expect(again.status).toBe(200)
    expect(await arrive(who)).toBe(within)
  })

  test('gets one account from ten simultaneous sign-ins, which all succeed', async () => {
    const { who, email } = stranger()
    const paths = await Promise.all(Array.from({ length: 10 }, () => arrive(who)))
    expect(paths).toEqual(paths.map(() => within))
    const users = usersBy(scene.app, email)
    expect(users).toHaveLength(1)
    expect(identities(users[0]?.id)).toHaveLength(1)
  })

  test('is refused when the address is taken concurrently again and again, and leaves no trace', async () => {
    const { app } = scene
    const { who, email } = stranger()
    app.db
      .statement(
        `CREATE TRIGGER rival BEFORE INSERT ON users WHEN NEW.email = '${email}' BEGIN
          INSERT INTO users (id, email, name, status, created_at, updated_at)
          VALUES (NEW.id || 'x', NEW.email, 'Rival', 'active', NEW.created_at, NEW.updated_at); END`,
      )
      .run()
    expect(await arrive(who)).toBe(refused('user_creation_failed'))
    expect(usersBy(app, email)).toEqual([])
    app.db.statement('DROP TRIGGER rival').run()
    expect(await arrive(who)).toBe(within)
  })
})

describe('an existing user', () => {
  test('is connected by the address at the first sign-in, whatever its case', async () => {
    const { app } = scene
    const mixed = await member(app, { email: 'mixed.case@corp.test', ...ofOrganization() })
    expect(await arrive('mixed')).toBe(within)
    expect(identities(mixed.id)).toMatchObject([{ external_id: 'mixed', email: 'mixed.case@corp.test' }])
    expect(auditOf(app, 'sso.identity.linked').at(-1)).toMatchObject({
      resource_id: scene.provider.id,
      actor_id: mixed.id,
      details: { userId: mixed.id, bySignIn: true },
    })
  })

  test('is not the new owner of their address at the provider', async () => {
    const { idp, alice } = scene
    expect(await arrive('alice')).toBe(within)
    idp.people.successor = { ...idp.people.alice }
    expect(await arrive('successor')).toBe(refused('identity_in_use'))
    expect(identities(alice.id)).toMatchObject([{ external_id: 'alice' }])
    expect(rejections().at(-1)).toEqual(['identity', 'other_subject'])
  })

  test('stays the same when their address at the provider changes', async () => {
    const { app, idp, alice } = scene
    connect(alice.id, 'renamed')
    idp.people.renamed = { email: 'alice.renamed@corp.test', email_verified: true, name: 'Alice Married' }
    expect(await arrive('renamed')).toBe(within)
    expect(usersBy(app, 'alice@corp.test')).toMatchObject([{ id: alice.id, name: alice.email }])
    expect(usersBy(app, 'alice.renamed@corp.test')).toEqual([])
    expect(identities(alice.id)).toMatchObject([{ email: 'alice.renamed@corp.test' }])
  })

  test('of another organization is refused, and nothing is written', async () => {
    const { app, org } = scene
    const { who, email } = stranger()
    const other = await organizationOf(app, scene.admin.token, 'Elsewhere')
    await member(app, { email, scope: 'organization', orgId: other.id })
    expect(await arrive(who)).toBe(refused('no_org_access'))
    expect(identities()).toEqual([])
    expect(auditOf(app, 'sso.callback.rejected').at(-1)).toMatchObject({ org_id: org.id, result: 'denied' })
  })

  test('who was removed cannot return by an old connection', async () => {
    const { app } = scene
    const { who, email } = stranger()
    const gone = await member(app, { email, ...ofOrganization() })
    connect(gone.id, who)
    app.db.run(q.deleteFrom('organization_users').where('user_id', '=', gone.id))
    expect(await arrive(who)).toBe(refused('no_org_access'))
  })

  test('who is disabled is refused', async () => {
    const { who, email } = stranger()
    const user = await member(scene.app, { email, ...ofOrganization() })
    setUser(user.id, { status: 'disabled' })
    expect(await arrive(who)).toBe(refused('account_inactive'))
    connect(user.id, who)
    expect(await arrive(who)).toBe(refused('account_inactive'))
  })

  test('with a role that belongs elsewhere is refused', async () => {
    const { app } = scene
    const { who, email } = stranger()
    const user = await member(app, { email, ...ofOrganization() })
    const wrong = findBuiltInRole(app.db, 'Partner Viewer', 'partner') as string
    app.db.run(q.updateTable('organization_users').set({ role_id: wrong }).where('user_id', '=', user.id))
    expect(await arrive(who)).toBe(refused('invalid_role_scope'))
    expect(identities(user.id)).toEqual([])
  })

  test('who was invited takes over the pending account by signing in', async () => {
    const { app } = scene
    const { who, email } = stranger()
    const user = await member(app, { email, ...ofOrganization() })
    setUser(user.id, { status: 'invited', password_hash: null, email_verified_at: null })
    const link = {
      kind: 'invite',
      key_hash: 'x',
      user_id: user.id,
      payload: toJson({}),
      expires_at: '2999-01-01T00:00:00.000Z',
    }
    app.db.run(q.insertInto('one_time_secrets').values(link))
    expect(await arrive(who)).toBe(within)
    expect(usersBy(app, email)).toMatchObject([{ status: 'active', password_hash: null, email_verified_at: null }])
    expect(app.db.first(q.selectFrom('one_time_secrets').selectAll().where('user_id', '=', user.id))).toBeUndefined()
    expect(auditOf(app, 'user.update').at(-1)).toMatchObject({
      resource_id: user.id,
      details: { previousStatus: 'invited', newStatus: 'active' },
    })
  })

  test('who was invited here and belongs nowhere else accepts by signing in', async () => {
    const { app, org } = scene
    const { who, email } = stranger()
    const user = await member(app, { email, ...ofOrganization() })
    const query = { ownerScope: 'organization', orgId: org.id } as const
    const body = { email, name: 'Whoever', roleId, orgId: org.id }
    expect((await app.call(removeUser, { params: { id: user.id }, query }, scene.admin)).status).toBe(200)
    expect(await arrive(who)).toBe(refused('no_org_access'))
    expect((await app.call(inviteUser, { body }, scene.admin)).status).toBe(201)
    expect(await arrive(who)).toBe(within)
    expect(auditOf(app, 'user.invite.accepted').at(-1)).toMatchObject({ resource_id: user.id, org_id: org.id })
  })

  test('who was invited here and also belongs elsewhere must accept there', async () => {
    const { app, org } = scene
    const { who, email } = stranger()
    const user = await member(app, { email, scope: 'partner', partnerId: scene.admin.partnerId })
    const body = { email, name: 'Whoever', roleId, orgId: org.id }
    expect((await app.call(inviteUser, { body }, scene.admin)).status).toBe(201)
    expect(await arrive(who)).toBe(refused('no_org_access'))
    expect(identities(user.id)).toEqual([])
  })

  describe('with more reach than the organization', () => {
    const further: [what: string, to: (userId: string) => unknown][] = [
      ['an operator', (id) => setUser(id, { is_platform_admin: 1 })],
      ['somebody of the company', (id) => join(id, scene.admin.partnerId)],
      ['somebody of another organization', async (id) => joinOrganization(id)],
    ]
    test.each(further)('is connected from the profile only: %s', async (_, to) => {
      const { app } = scene
      const { who, email } = stranger()
      const user = await member(app, { email, ...ofOrganization() })
      await to(user.id)
      expect(await arrive(who)).toBe(refused('sso_link_required'))
      expect(identities(user.id)).toEqual([])
      connect(user.id, who)
      expect(await arrive(who)).toBe(within)
    })

    test('is connected at sign-in if there is no other way to sign in', async () => {
      const { who, email } = stranger()
      const user = await member(scene.app, { email, ...ofOrganization() })
      join(user.id, scene.admin.partnerId)
      setUser(user.id, { password_hash: null })
      connect(user.id, 'elsewhere', partnerProvider)
      expect(await arrive(who)).toBe(refused('sso_link_required'))
      scene.app.db.run(q.deleteFrom('user_sso_identities'))
      givePasskey(user.id)
      expect(await arrive(who)).toBe(refused('sso_link_required'))
      scene.app.db.run(q.deleteFrom('user_passkeys'))
      expect(await arrive(who)).toBe(within)
    })

    function givePasskey(userId: string): void {
      const stamps = { created_at: isoNow(scene.app.clock), updated_at: isoNow(scene.app.clock) }
      const key = { id: randomUUIDv7(), credential_id: userId, public_key: 'x', rp_id: 'localhost', name: 'key' }
      const row = {
        ...key,
        counter: 0,
        device_type: 'singleDevice',
        backed_up: 0,
        transports: toJson([]),
        ...stamps,
      } as const
      scene.app.db.run(q.insertInto('user_passkeys').values({ ...row, user_id: userId }))
    }

    function join(userId: string, partnerId: string): void {
      const { db, clock } = { ...scene.app }
      const role_id = findBuiltInRole(db, 'Partner Viewer', 'partner') as string
      const row = { id: randomUUIDv7(), partner_id: partnerId, user_id: userId, role_id, org_access: 'none' } as const
      db.run(q.insertInto('partner_users').values({ ...row, created_at: isoNow(clock) }))
    }

    async function joinOrganization(userId: string): Promise<void> {
      const { app, admin } = scene
      const org = await organizationOf(app, admin.token, `Second ${others}`)
      const role_id = findBuiltInRole(app.db, 'Org Viewer', 'organization') as string
      const row = { id: randomUUIDv7(), org_id: org.id, user_id: userId, role_id, created_at: isoNow(app.clock) }
      app.db.run(q.insertInto('organization_users').values(row))
    }
  })
})

describe('verification of the address', () => {
  test('an address that is not verified is refused, even with a connection', async () => {
    const { alice } = scene
    for (const word of ['unverified', 'unverified-text']) {
      connect(alice.id, word)
      expect(await arrive(word)).toBe(refused('sso_email_unverified'))
      scene.app.db.run(q.deleteFrom('user_sso_identities'))
    }
    expect(rejections().at(-1)).toEqual(['email_verification', 'email_verified_false'])
    expect(await arrive('verified-text')).toBe(within)
  })

  test('a statement about another address does not count', async () => {
    const mapping = toJson({ email: 'preferred_username', name: 'name' })
    setProvider(scene.app, scene.provider.id, { attribute_mapping: mapping })
    const { who } = stranger({ preferred_username: 'alice@corp.test' })
    expect(await arrive(who)).toBe(refused('sso_email_unverified'))
    expect(rejections().at(-1)).toEqual(['email_verification', 'email_verified_absent'])
    expect(identities()).toEqual([])
  })

  test('an address without a statement is accepted only at a verified domain of the organization', async () => {
    const { who, email } = stranger({ email_verified: undefined })
    expect(await arrive(who)).toBe(refused('sso_email_unverified'))
    expect(usersBy(scene.app, email)).toEqual([])
    const user = await member(scene.app, { email, ...ofOrganization() })
    expect(await arrive(who)).toBe(refused('sso_email_unverified'))
    prove('corp.test', (await organizationOf(scene.app, scene.admin.token, 'Prover')).id)
    expect(await arrive(who)).toBe(refused('sso_email_unverified'))
    prove('corp.test')
    expect(await arrive(who)).toBe(within)
    scene.app.db.run(q.deleteFrom('sso_verified_domains'))
    expect(await arrive(who)).toBe(within)
    expect(identities(user.id)).toHaveLength(1)
    const { who: newcomer, email: newAddress } = stranger({ email_verified: undefined })
    prove('corp.test')
    expect(await arrive(newcomer)).toBe(within)
    expect(usersBy(scene.app, newAddress)).toMatchObject([{ email_verified_at: null }])
  })

  test('a statement counts as proof of the mailbox at a verified domain of the organization', async () => {
    const { who, email } = stranger()
    prove('corp.test')
    expect(await arrive(who)).toBe(within)
    expect(usersBy(scene.app, email)).toMatchObject([{ email_verified_at: isoNow(scene.app.clock) }])
  })

  test('an organization with verified domains connects only people of these', async () => {
    prove('other.test')
    const { who } = stranger()
    expect(await arrive(who)).toBe(refused('sso_domain_unverified'))
    expect(await arrive('outsider')).toBe(within)
    connect(scene.alice.id, who)
    expect(await arrive(who)).toBe(within)
  })

  test('a subdomain of a verified domain does not count', async () => {
    prove('corp.test')
    const { who } = stranger({ email: 'x@sub.corp.test', email_verified: undefined })
    expect(await arrive(who)).toBe(refused('sso_email_unverified'))
    const { who: sure } = stranger({ email: 'y@sub.corp.test' })
    expect(await arrive(sure)).toBe(refused('sso_domain_unverified'))
  })

  test('a sign-in without an address is refused', async () => {
    expect(await arrive('mailless')).toBe(refused('sso_error'))
    expect(rejections().at(-1)).toEqual(['identity_provider', 'no_email_address'])
  })
})

describe('the list of allowed domains', () => {
  const allow = (list: string) => setProvider(scene.app, scene.provider.id, { allowed_domains: list })

  test('lets in only addresses of its domains, even with a connection', async () => {
    allow(' @OTHER.test, corp.test. ')
    expect(await arrive('alice')).toBe(within)
    allow('other.test')
    expect(await arrive('alice')).toBe(refused('domain_not_allowed'))
    expect(await arrive('outsider')).toBe(within)
    expect(rejections().at(-1)).toEqual(['domain_verification', 'domain_not_allowed'])
  })

  test('cannot be bypassed by a second @ sign', async () => {
    allow('corp.test')
    expect(await arrive('two-signs')).toBe(refused('sso_error'))
    allow('evil.test')
    expect(await arrive('two-signs')).toBe(refused('sso_error'))
    // Valid as an address, but its domain is no valid host name.
    expect(await arrive(stranger({ email: 'x@evil-.test' }).who)).toBe(refused('domain_not_allowed'))
  })

  test('does not cover subdomains', async () => {
    allow('corp.test')
    expect(await arrive(stranger({ email: 'x@sub.corp.test' }).who)).toBe(refused('domain_not_allowed'))
    expect(await arrive(stranger({ email: 'x@xcorp.test' }).who)).toBe(refused('domain_not_allowed'))
  })
})

describe('the provider of a company', () => {
  const enter = (who: string) => arrive(who, partnerLogin)

  test('lets in its technicians', async () => {
    const { who, email } = stranger()
    const { id } = await member(scene.app, { email, ...ofCompany(), role: 'Partner Technician' })
    expect(await enter(who)).toBe(within)
    expect(identities(id)).toMatchObject([{ provider_id: partnerProvider, external_id: who }])
  })

  test('creates no accounts, whatever its settings', async () => {
    const role = findBuiltInRole(scene.app.db, 'Partner Technician', 'partner') as string
    const chosen = { default_role_id: role, default_role_configured_by: scene.admin.userId }
    setProvider(scene.app, partnerProvider, { auto_provision: 1, ...chosen })
    const { who, email } = stranger()
    expect(await enter(who)).toBe(refused('invite_required'))
    expect(usersBy(scene.app, email)).toEqual([])
  })

  test('refuses members of an organization and those of another company', async () => {
    expect(await enter('alice')).toBe(refused('invite_required'))
    connect(scene.alice.id, 'alice', partnerProvider)
    expect(await enter('alice')).toBe(refused('no_partner_access'))
    const { who, email } = stranger()
    const other = await otherCompany(scene.app, `Other ${others}`)
    await member(scene.app, { email, scope: 'partner', partnerId: other.partnerId })
    expect(await enter(who)).toBe(refused('invite_required'))
  })

  test('does not let a removed technician return, not even as an operator', async () => {
    const { app } = scene
    const { who, email } = stranger()
    const { id } = await member(app, { email, ...ofCompany() })
    connect(id, who, partnerProvider)
    setUser(id, { is_platform_admin: 1 })
    expect(await enter(who)).toBe(within)
    app.db.run(q.deleteFrom('partner_users').where('user_id', '=', id))
    expect(await enter(who)).toBe(refused('no_partner_access'))
    expect(app.db.all(q.selectFrom('sso_exchange_grants').select('id').where('user_id', '=', id))).toHaveLength(1)
  })

  test('without a statement about the address opens no account with a password', async () => {
    const { who, email } = stranger({ email_verified: undefined })
    const { id } = await member(scene.app, { email, ...ofCompany() })
    expect(await enter(who)).toBe(refused('sso_link_required'))
    setUser(id, { password_hash: null })
    expect(await enter(who)).toBe(within)
  })

  test('does not open an account that also belongs to another company', async () => {
    const { app } = scene
    const { who, email } = stranger()
    const { id } = await member(app, { email, ...ofCompany() })
    const other = await otherCompany(app, `Other ${others}`)
    const role_id = findBuiltInRole(app.db, 'Org Viewer', 'organization') as string
    const row = { id: randomUUIDv7(), org_id: other.org.id, user_id: id, role_id, created_at: isoNow(app.clock) }
    app.db.run(q.insertInto('organization_users').values(row))
    expect(await enter(who)).toBe(refused('sso_link_required'))
  })

  test('requires an operator to connect in the profile', async () => {
    const { who, email } = stranger()
    const { id } = await member(scene.app, { email, ...ofCompany() })
    setUser(id, { is_platform_admin: 1 })
    expect(await enter(who)).toBe(refused('sso_link_required'))
  })
})

describe('changes during a sign-in', () => {
  async function meanwhile(change: () => unknown, who = 'alice'): Promise<string> {
    const browser = scene.browser()
    const callback = await browser.callbackFrom(`${scene.loginUrl}?login_hint=${who}@corp.test`)
    await change()
    return (await browser.visit(callback)).path
  }
  /** Runs between the first look at the row and the last one. */
  const whileAsked = (change: () => unknown) =>
    meanwhile(() =>
      scene.idp.front.tamper('userinfo', ({ json }) => {
        scene.idp.front.beHonest()
        change()
        return { body: JSON.stringify(json) }
      }),
    )
  const set = (values: object) => setProvider(scene.app, scene.provider.id, values)
  const version = () =>
    scene.app.db.first(q.selectFrom('sso_providers').select('config_version').where('id', '=', scene.provider.id))
      ?.config_version ?? 0

  test.each(['inactive', 'testing'] as const)('the provider becomes %s', async (status) => {
    expect(await meanwhile(() => set({ status }))).toBe(refused('sso_provider_inactive'))
    expect(rejections().at(-1)).toEqual(['provider_generation', 'sso_provider_inactive'])
    set({ status: 'active' })
    expect(await whileAsked(() => set({ status }))).toBe(refused('sso_provider_inactive'))
    expect(identities()).toEqual([])
  })

  test('the provider is switched off and on, or only renamed', async () => {
    const { app, admin, provider } = scene
    const rename = () =>
      app.call(updateSsoProvider, { params: { id: provider.id }, body: { name: 'Renamed' } }, { token: admin.token })
    expect(await meanwhile(rename)).toBe(refused('sso_config_changed'))
    expect(await whileAsked(() => set({ config_version: version() + 1 }))).toBe(refused('sso_config_changed'))
    expect(rejections().at(-1)).toEqual(['provider_generation', 'sso_config_changed'])
    expect(identities()).toEqual([])
  })

  test('the organization or the company is suspended', async () => {
    const { app, org, admin } = scene
    const suspend = () => setOrganization(app, org.id, { status: 'suspended' })
    expect(await meanwhile(suspend)).toBe(refused('tenant_inactive'))
    setOrganization(app, org.id, { status: 'trial' })
    expect(await whileAsked(suspend)).toBe(refused('tenant_inactive'))
    setOrganization(app, org.id, { status: 'active' })
    const path = await meanwhile(() => setPartner(app, admin.partnerId, { status: 'suspended' }))
    setPartner(app, admin.partnerId, { status: 'active' })
    expect(path).toBe(refused('tenant_inactive'))
  })

  test('the provider is deleted', async () => {
    const { app, idp, admin } = scene
    const org = await organizationOf(app, admin.token, 'Brief')
    const { id } = await readyProvider(app, admin.token, idp, { orgId: org.id })
    const browser = scene.browser()
    const begin = () => browser.callbackFrom(`/api/v1/sso/login/${org.id}?login_hint=alice@corp.test`)
    const callback = await begin()
    const remove = q.deleteFrom('sso_providers').where('id', '=', id)
    // Keeps the sign-in, as only a damaged database would.
    app.db.transactionUnchecked(() => app.db.run(remove))
    expect((await browser.visit(callback)).path).toBe(refused('provider_not_found'))
  })

  test('the user is disabled or leaves', async () => {
    const { app, alice } = scene
    expect(await meanwhile(() => setUser(alice.id, { status: 'disabled' }))).toBe(refused('account_inactive'))
    setUser(alice.id, { status: 'active' })
    const membership = app.db.first(q.selectFrom('organization_users').selectAll().where('user_id', '=', alice.id))
    const leave = q.deleteFrom('organization_users').where('user_id', '=', alice.id)
    expect(await whileAsked(() => app.db.run(leave))).toBe(refused('no_org_access'))
    app.db.run(q.insertInto('organization_users').values(membership as never))
  })
})

test('strict domain verification and the IP allow-list both apply to a sign-in', async () => {
  const proxied = { TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXY_CIDRS: '10.0.0.0/8' }
  await using own = await ssoScene({ env: { ...proxied, SSO_DOMAIN_VERIFICATION_STRICT: 'True' } })
  const { app, alice, admin, org } = own
  const enter = async (ip: string, who = 'alice') => {
    const browser = own.browser()
    const callback = await browser.callbackFrom(`${own.loginUrl}?login_hint=${who}@corp.test`)
    const url = callback.pathname + callback.search
    const answer = await browser.inject({ method: 'GET', url, headers: { 'x-forwarded-for': ip } })
    return String(answer.headers.location).replace(/ssoCode=.*/, 'ssoCode=…')
  }
  expect(await enter('203.0.113.9')).toBe(refused('sso_domain_unverified'))
  const now = isoNow(app.clock)
  const row = { id: randomUUIDv7(), org_id: org.id, domain: 'corp.test', verification_token: 'x', verified_at: now }
  app.db.run(q.insertInto('sso_verified_domains').values({ ...row, created_at: now, updated_at: now }))
  setPartner(app, admin.partnerId, { settings: toJson({ security: { ipAllowlist: ['203.0.113.0/24'] } }) })
  const before = app.rowCounts()
  expect(await enter('198.51.100.7')).toBe(refused('ip_not_allowed'))
  expect(await enter('198.51.100.7', 'bob')).not.toBe(within)
  expect(auditOf(app, 'ip_allowlist.denied')).toMatchObject([{ resource_id: alice.id, result: 'denied' }])
  const { users, user_sso_identities, sso_exchange_grants } = app.rowCounts()
  expect(before).toMatchObject({ users, user_sso_identities, sso_exchange_grants })
  expect(await enter('203.0.113.9')).toBe(within)
  app.db.run(q.updateTable('users').set({ is_platform_admin: 1 }).where('id', '=', alice.id))
  expect(await enter('198.51.100.7')).toBe(within)
})
