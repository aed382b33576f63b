import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { authMe, login, mfaVerify } from '../../shared/api/auth.ts'
import { listDevices } from '../../shared/api/devices.ts'
import { acceptInvitation, declineInvitation, listInvitations } from '../../shared/api/invitations.ts'
import { enterMembership, listMemberships } from '../../shared/api/memberships.ts'
import { changePassword, checkResetLink, forgotPassword, resetPassword } from '../../shared/api/passwords.ts'
import { removeUser } from '../../shared/api/people.ts'
import { updateMe, usersMe } from '../../shared/api/profile.ts'
import { verifyEmail } from '../../shared/api/registration.ts'
import { heartbeat } from '../../shared/device/heartbeat.ts'
import { test } from '../helpers/concurrent-test.ts'
import { apiKeyOf, company, member, password, person } from '../helpers/factories.ts'
import { mailsOf, mailToFiles, tokenIn } from '../helpers/mail.ts'
import { auditOf, makePlatformAdmins, setPartner } from '../helpers/rows.ts'
import { sessionOf } from '../helpers/sessions.ts'
import { enforcingProvider, setProvider } from '../helpers/sso-rows.ts'
import { type TestApp, testApp, usualSignInFloor } from '../helpers/test-app.ts'
import { accept, acceptAll, inviteScene, lastToken, preview } from './invite-kit.ts'
import { codeOf, refreshWith, signedInJar, withFactor } from './kit.ts'
import { handIn, openOptions, withPasskey } from './passkey-kit.ts'

const next = 'Another1Horse'
const wide = { ...mailToFiles, HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60', HOMEPORT_LIMIT_FORGOT_PASSWORD: '0/60' }

const attempt = (app: TestApp, email: string, secret = password) =>
  app.call(login, { body: { email, password: secret } })
const forget = (app: TestApp, email: string) => app.call(forgotPassword, { body: { email } })
const reset = (app: TestApp, token: string, secret = next) =>
  app.call(resetPassword, { body: { token, password: secret } })
const codes = ({ status, body }: { status: number; body: { code?: string | undefined } }) => [status, body.code]
const hashOf = (app: TestApp, id: string) =>
  app.db.first(q.selectFrom('users').select('password_hash').where('id', '=', id))?.password_hash
const resetTokens = async (app: TestApp) =>
  (await mailsOf(app)).filter(({ kind }) => kind === 'password-reset').map(tokenIn)
const refusals = (app: TestApp) => auditOf(app, 'user.login.failed').map(({ details }) => details.reason)

/** A company with an organization, and a user of each; the tests decide where single sign-on is enforced. */
async function scene(env: Record<string, string> = {}) {
  const app = await testApp({ env: { ...wide, ...env } })
  const { admin, org, device } = await company(app)
  const tech = await member(app, { email: 'tech@acme.test', scope: 'partner', partnerId: admin.partnerId })
  const olaf = await member(app, { email: 'olaf@berlin.test', scope: 'organization', orgId: org.id })
  const close = () => app[Symbol.asyncDispose]()
  return { app, admin, org, device, tech, olaf, [Symbol.asyncDispose]: close }
}

test('with enforced single sign-on a right password gets the answer of a wrong one, after the same time', async () => {
  await using one = await scene(usualSignInFloor)
  const { app, admin, olaf, org } = one
  const ida = await person(app, { email: 'ida@berlin.test', scope: 'organization', orgId: org.id })
  await withFactor(app, ida.token)
  enforcingProvider(app, { orgId: org.id })
  const answers = new Set<string>()
  for (const [email, secret] of [
    [olaf.email, password],
    [olaf.email, 'Wrong1Horse'],
    [ida.email, password],
    ['nobody@berlin.test', password],
  ] as const) {
    const startedAt = performance.now()
    const { status, body, headers, cookies } = await attempt(app, email, secret)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(345)
    expect(cookies).toEqual([])
    answers.add(JSON.stringify([status, body, { ...headers, date: '', 'x-request-id': '' }]))
  }
  expect([...answers]).toHaveLength(1)
  expect([...answers][0]).toContain('Invalid email or password')
  expect(refusals(app)).toEqual(['sso_required', 'invalid_password', 'sso_required'])
  expect(auditOf(app, 'user.login.failed')[0]).toMatchObject({
    resource_id: olaf.id,
    org_id: org.id,
    partner_id: admin.partnerId,
    result: 'denied',
  })
  const pending = q.selectFrom('one_time_secrets').select('kind').where('kind', '=', 'mfa_pending')
  expect(app.db.all(pending), 'nobody is asked for a factor').toEqual([])
})

test('a sign-in that waits for its second factor fails once single sign-on is enforced', async () => {
  await using one = await scene()
  const { app, org } = one
  const ida = await person(app, { email: 'ida@berlin.test', scope: 'organization', orgId: org.id })
  const { secret } = await withFactor(app, ida.token)
  const { tempToken = null } = (await attempt(app, ida.email)).body
  enforcingProvider(app, { orgId: org.id })
  const answered = await app.call(mfaVerify, { body: { tempToken: String(tempToken), code: codeOf(app, secret) } })
  expect([answered.status, answered.cookies]).toEqual([401, []])
})

test('a passkey cannot bypass enforced single sign-on', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const provider = enforcingProvider(app, { partnerId: admin.partnerId })
  expect(codes(await handIn(app, device.get(await openOptions(app))))).toEqual([401, 'passkey_refused'])
  expect(refusals(app)).toEqual(['sso_required'])
  setProvider(app, provider, { enforce_sso: 0 })
  expect((await handIn(app, device.get(await openOptions(app)))).status).toBe(200)
})

test('enforcement is checked before the IP allow-list, so that the list is not revealed', async () => {
  await using one = await scene({ TRUST_PROXY_HEADERS: 'false' })
  const { app, admin, tech } = one
  enforcingProvider(app, { partnerId: admin.partnerId })
  setPartner(app, admin.partnerId, { settings: toJson({ security: { ipAllowlist: ['198.51.100.0/24'] } }) })
  expect(codes(await attempt(app, tech.email))).toEqual([401, 'invalid_credentials'])
  expect(refusals(app)).toEqual(['sso_required'])
})

test('a provider enforces single sign-on only for its own people', async () => {
  await using one = await scene()
  const { app, admin, org, tech, olaf } = one
  const statusOf = async (email: string) => (await attempt(app, email)).status
  const ofCustomer = enforcingProvider(app, { orgId: org.id })
  expect([await statusOf(tech.email), await statusOf(olaf.email)]).toEqual([200, 401])
  setProvider(app, ofCustomer, { org_id: null, partner_id: admin.partnerId })
  expect([await statusOf(tech.email), await statusOf(olaf.email)]).toEqual([401, 200])
})

test.each([
  ['being tested', { status: 'testing' as const }],
  ['switched off', { status: 'inactive' as const }],
  ['one that passwords may be used beside', { enforce_sso: 0 as const }],
  ['SAML, through which nobody can come', { type: 'saml' as const }],
])('a provider that is %s does not enforce single sign-on', async (_, values) => {
  await using one = await scene()
  enforcingProvider(one.app, { orgId: one.org.id }, values)
  expect((await attempt(one.app, one.olaf.email)).status).toBe(200)
})

test('enforcement by a second, newer provider counts, and ends when that is switched off', async () => {
  await using one = await scene()
  const { app, org, olaf } = one
  enforcingProvider(app, { orgId: org.id }, { enforce_sso: 0, created_at: '2026-01-01T00:00:00.000Z' })
  const newer = enforcingProvider(app, { orgId: org.id })
  expect((await attempt(app, olaf.email)).status).toBe(401)
  setProvider(app, newer, { status: 'inactive' })
  expect((await attempt(app, olaf.email)).status).toBe(200)
})

test('operators belong to no tenant and can always sign in with a password', async () => {
  await using one = await scene()
  const { app, admin, org } = one
  const root = await member(app, { email: 'root@x.test', scope: 'system' })
  for (const owner of [{ orgId: org.id }, { partnerId: admin.partnerId }]) enforcingProvider(app, owner)
  const { status, body } = await attempt(app, root.email)
  expect(status).toBe(200)
  const token = body.tokens?.accessToken
  const changed = { currentPassword: password, newPassword: next }
  expect((await app.call(changePassword, { body: changed }, { token })).status).toBe(200)
  makePlatformAdmins(app, one.tech.id)
  expect((await attempt(app, one.tech.email)).status, 'a platform admin who works in a tenant is one of it').toBe(401)
})

test('a user of two tenants enters the one that accepts a password, and no tenant can lock them out of another', async () => {
  await using one = await inviteScene(wide)
  const { app, org, other, eve, eveThere, invite } = one
  await invite({ ...eveThere, orgId: org.id })
  const began = await accept(app, await lastToken(app), password)
  await invite({ ...eve, orgAccess: 'all' }, other.admin.token)
  await acceptAll(app, began.body.tokens?.accessToken ?? '')
  const ofOther = enforcingProvider(app, { partnerId: other.partnerId })
  const { body } = await attempt(app, eve.email)
  const { accessToken: token = '' } = body.tokens ?? {}
  expect((await app.call(usersMe, {}, { token })).body).toMatchObject({ scope: 'organization', orgId: org.id })

  const rows = (await app.call(listMemberships, {}, { token })).body.data
  const closed = rows.find(({ orgId }) => orgId === null)?.id ?? ''
  const entered = await app.call(enterMembership, { params: { id: closed } }, { token })
  expect(codes(entered)).toEqual([403, 'membership_sign_in'])
  expect(entered.body).toMatchObject({ loginUrl: `/api/v1/sso/login/partner/${other.partnerId}` })
  await forget(app, eve.email)
  expect(await resetTokens(app), 'the password is of use').toHaveLength(1)
  enforcingProvider(app, { orgId: org.id })
  expect((await attempt(app, eve.email)).status).toBe(401)
  await forget(app, eve.email)
  expect(await resetTokens(app)).toHaveLength(1)
  setProvider(app, ofOther, { enforce_sso: 0 })
  const home = await attempt(app, eve.email)
  const me = await app.call(usersMe, {}, { token: home.body.tokens?.accessToken })
  expect(me.body).toMatchObject({ scope: 'partner', partnerId: other.partnerId })
})

test('a session survives enforcement and is refreshed, but enters no enforced tenant when its own closes', async () => {
  await using one = await inviteScene(wide)
  const { app, admin, org, other, eve, eveThere, invite } = one
  await invite({ ...eveThere, orgId: org.id })
  await accept(app, await lastToken(app), password)
  await invite({ ...eveThere, orgId: other.org.id }, other.admin.token)
  const { token, jar } = await signedInJar(app, eve.email, password)
  expect(await acceptAll(app, token)).toHaveLength(1)
  enforcingProvider(app, { orgId: org.id })
  enforcingProvider(app, { orgId: other.org.id })
  expect((await app.call(authMe, {}, { token })).status).toBe(200)
  const refreshed = await refreshWith(app, jar)
  jar.take(refreshed)
  expect(refreshed.status).toBe(200)
  app.db.run(q.updateTable('organizations').set({ status: 'suspended' }).where('id', '=', org.id))
  expect((await app.call(authMe, {}, { token: refreshed.body.tokens?.accessToken })).status).toBe(403)
  app.clock.advance(60_000)
  expect((await refreshWith(app, jar)).status, 'the other tenant is not entered by a password').toBe(401)
  expect(admin.partnerId).not.toBe(other.partnerId)
})

test('a forgotten password of an enforced account gets the same answer, without mail, link or event', async () => {
  await using one = await scene()
  const { app, org, olaf } = one
  const open = await forget(app, olaf.email)
  expect(await resetTokens(app)).toHaveLength(1)
  enforcingProvider(app, { orgId: org.id })
  const before = auditOf(app, 'user.password.reset.requested').length
  const { status, body } = await forget(app, olaf.email)
  expect([status, body]).toEqual([open.status, open.body])
  expect(await resetTokens(app)).toHaveLength(1)
  expect(auditOf(app, 'user.password.reset.requested')).toHaveLength(before)
})

test('the mail about a locked account has no reset link where single sign-on is enforced', async () => {
  await using one = await scene()
  enforcingProvider(one.app, { orgId: one.org.id })
  for (let i = 0; i < 5; i++) await attempt(one.app, one.olaf.email, 'Wrong1Horse')
  expect((await mailsOf(one.app)).map(({ kind }) => kind)).toEqual([])
})

test('an earlier reset link is refused once and used up, and the password stays', async () => {
  await using one = await scene()
  const { app, org, olaf } = one
  await forget(app, olaf.email)
  const [token = ''] = await resetTokens(app)
  const provider = enforcingProvider(app, { orgId: org.id })
  const hash = hashOf(app, olaf.id)
  expect(codes(await app.call(checkResetLink, { body: { token } }))).toEqual([403, 'sso_reset_closed'])
  const refused = await reset(app, token)
  expect([refused.status, refused.body.error]).toEqual([
    403,
    'Password reset is disabled because your organization requires SSO.',
  ])
  expect(hashOf(app, olaf.id)).toBe(hash)
  expect(auditOf(app, 'user.password.reset')).toMatchObject([
    { resource_id: olaf.id, org_id: org.id, result: 'denied', details: { reason: 'sso_required' } },
  ])
  setProvider(app, provider, { status: 'inactive' })
  expect((await reset(app, token)).status, 'it does not wait for better days').toBe(400)
})

test('a weak password also uses up such a link', async () => {
  await using one = await scene()
  await forget(one.app, one.olaf.email)
  const [token = ''] = await resetTokens(one.app)
  enforcingProvider(one.app, { orgId: one.org.id })
  expect((await reset(one.app, token, 'Password123')).status).toBe(403)
  expect((await reset(one.app, token)).status).toBe(400)
})

test('password and address of a user with enforced single sign-on cannot be changed', async () => {
  await using one = await scene()
  const { app, org, olaf } = one
  const token = await sessionOf(app, olaf.id)
  const moved = { email: 'new@berlin.test', currentPassword: password }
  await app.call(updateMe, { body: moved }, { token })
  const link = (await mailsOf(app)).filter(({ kind }) => kind === 'verify-email-change').map(tokenIn)[0] ?? ''
  enforcingProvider(app, { orgId: org.id })
  const hash = hashOf(app, olaf.id)

  const changed = { currentPassword: password, newPassword: next }
  const refused = await app.call(changePassword, { body: changed }, { token })
  const said = 'Password changes are disabled because your organization requires SSO.'
  expect([refused.status, refused.body]).toMatchObject([403, { error: said, message: said }])
  expect([hashOf(app, olaf.id), (await app.call(authMe, {}, { token })).status]).toEqual([hash, 200])

  const address = await app.call(updateMe, { body: { ...moved, email: 'other@berlin.test' } }, { token })
  expect([address.status, address.body.error]).toEqual([
    403,
    'Email changes for this organization are managed through your SSO provider.',
  ])
  expect((await app.call(verifyEmail, { body: { token: link } })).status, 'nor by a link of before').toBe(400)
  expect(auditOf(app, 'auth.email_verify_failed')).toMatchObject([{ details: { reason: 'sso_required' } }])
  expect((await app.call(usersMe, {}, { token })).body.email).toBe(olaf.email)
  const named = await app.call(updateMe, { body: { name: 'Olaf', email: olaf.email } }, { token })
  expect(named.status, 'the name is theirs, and the same address no change').toBe(200)
})

test('an invited user of an enforced tenant sets no password and is told where to sign in', async () => {
  await using one = await inviteScene(wide)
  const { app, org, eve, eveThere, invite } = one
  await invite({ ...eveThere, orgId: org.id })
  const token = await lastToken(app)
  expect((await preview(app, token)).body.sso).toBeUndefined()
  const provider = enforcingProvider(app, { orgId: org.id })
  expect((await preview(app, token)).body).toMatchObject({
    email: eve.email,
    sso: { providerName: 'Corp sign-in', loginUrl: `/api/v1/sso/login/${org.id}` },
  })
  const refused = await accept(app, token)
  expect([codes(refused), refused.cookies]).toEqual([[403, 'sso_invite_closed'], []])
  const row = app.db.first(q.selectFrom('users').selectAll().where('email', '=', eve.email))
  expect(row).toMatchObject({ status: 'invited', password_hash: null })
  setProvider(app, provider, { enforce_sso: 0 })
  expect((await accept(app, token)).status, 'the link was not used up').toBe(200)
})

test('API keys and agents are not affected by enforcement', async () => {
  await using one = await scene()
  const { app, admin, org, device } = one
  const { key } = await apiKeyOf(app, admin.token, org.id)
  for (const owner of [{ orgId: org.id }, { partnerId: admin.partnerId }]) enforcingProvider(app, owner)
  expect((await app.call(listDevices, {}, { headers: { 'x-api-key': key } })).status).toBe(200)
  const beat = await app.call(
    heartbeat,
    { params: { agentId: device.agentId }, body: { status: 'ok', agentVersion: '0.1.0' } as never },
    {
      token: device.authToken,
    },
  )
  expect(beat.status).toBe(200)
})

test('a session from the provider of one tenant cannot accept or enter memberships elsewhere', async () => {
  await using one = await inviteScene(wide)
  const { app, admin, org, other, eve, eveThere, invite } = one
  await invite({ ...eveThere, orgId: org.id })
  const own = (await accept(app, await lastToken(app), password)).body.tokens?.accessToken ?? ''
  const { id } = app.db.first(q.selectFrom('users').select('id').where('email', '=', eve.email)) ?? { id: '' }
  const ofOrg = enforcingProvider(app, { orgId: org.id }, { enforce_sso: 0 })
  const token = await sessionOf(app, id, 'idp', ofOrg)
  await invite({ ...eve, orgAccess: 'all' })
  await invite({ ...eveThere, orgId: other.org.id }, other.admin.token)
  for (const { id: offer } of (await app.call(listInvitations, {}, { token })).body.data)
    expect(
      codes(await app.call(acceptInvitation, { params: { id: offer }, body: {} }, { token })),
      'nor accepts what others offer them',
    ).toEqual([403, 'invitation_by_mail'])
  const [first] = (await app.call(listInvitations, {}, { token })).body.data
  const declined = await app.call(declineInvitation, { params: { id: first?.id ?? '' } }, { token })
  expect(codes(declined), 'nor turns it down').toEqual([403, 'invitation_by_mail'])
  expect(auditOf(app, 'user.invite.declined')).toEqual([])
  const mailed = await lastToken(app)
  const [foreign] = (await app.call(listInvitations, {}, { token })).body.data
  const shown = { params: { id: foreign?.id ?? '' }, body: { token: mailed } }
  expect((await app.call(acceptInvitation, shown, { token })).status, 'but by the link in their mail').toBe(200)
  expect(await acceptAll(app, own)).toHaveLength(1)
  const rows = (await app.call(listMemberships, {}, { token })).body.data
  const enter = (to: string | undefined, bearer = token) =>
    app.call(enterMembership, { params: { id: to ?? '' } }, { token: bearer })
  const [asTech, elsewhere] = [
    rows.find(({ orgId }) => orgId === null),
    rows.find(({ orgId }) => orgId === other.org.id),
  ]
  for (const place of [asTech, elsewhere]) expect(codes(await enter(place?.id))).toEqual([403, 'membership_sign_in'])

  app.db.run(q.deleteFrom('sso_providers').where('id', '=', ofOrg))
  expect((await app.call(authMe, {}, { token })).status, 'the session outlives the provider').toBe(200)
  expect(codes(await enter(asTech?.id)), 'and is not freed by its end').toEqual([403, 'membership_sign_in'])
  app.db.run(q.updateTable('organizations').set({ status: 'suspended' }).where('id', '=', org.id))
  const shut = await app.call(authMe, {}, { token })
  expect(shut.status, 'nor does it land there when its own tenant shuts').toBe(403)

  const ofPartner = enforcingProvider(app, { partnerId: admin.partnerId })
  app.db.run(q.updateTable('organizations').set({ status: 'active' }).where('id', '=', org.id))
  const tech = await sessionOf(app, id, null, ofPartner)
  const inOrg = rows.find(({ orgId }) => orgId === org.id)?.id
  expect(codes(await enter(elsewhere?.id, tech))).toEqual([403, 'membership_sign_in'])
  const moved = await enter(inOrg, tech)
  expect(moved.status, 'a company vouches for its people in what is its own').toBe(200)
})

test('an organization that enforces its provider accepts no session of the provider of its company', async () => {
  await using one = await scene()
  const { app, admin, org, tech } = one
  const now = '2026-03-01T09:00:00.000Z'
  const { role_id } = app.db.first(q.selectFrom('organization_users').select('role_id')) ?? { role_id: '' }
  const membership = { id: '01900000-0000-7000-8000-000000000001', org_id: org.id, user_id: tech.id, role_id }
  app.db.run(q.insertInto('organization_users').values({ ...membership, created_at: now }))
  const ofPartner = enforcingProvider(app, { partnerId: admin.partnerId })
  enforcingProvider(app, { orgId: org.id })
  const token = await sessionOf(app, tech.id, null, ofPartner)
  const entered = await app.call(enterMembership, { params: { id: membership.id } }, { token })
  expect(codes(entered)).toEqual([403, 'membership_sign_in'])
  expect(entered.body).toMatchObject({ loginUrl: `/api/v1/sso/login/${org.id}` })
})

test('platform admins get their rights by the provider of their company, not by that of a customer', async () => {
  await using one = await scene()
  const { app, admin, org, olaf, tech } = one
  makePlatformAdmins(app, olaf.id, tech.id)
  const isAdmin = async (id: string, provider?: string) => {
    const token = await sessionOf(app, id, null, provider)
    return (await app.call(usersMe, {}, { token })).body.isPlatformAdmin
  }
  const ofOrg = enforcingProvider(app, { orgId: org.id }, { enforce_sso: 0 })
  const ofPartner = enforcingProvider(app, { partnerId: admin.partnerId }, { enforce_sso: 0 })
  expect([await isAdmin(olaf.id), await isAdmin(olaf.id, ofOrg)]).toEqual([true, false])
  expect([await isAdmin(tech.id), await isAdmin(tech.id, ofPartner)]).toEqual([true, true])
})

test('a user signed in by a provider who loses all memberships does not become an operator', async () => {
  await using one = await scene()
  const { app, admin, org, olaf } = one
  makePlatformAdmins(app, olaf.id)
  const ofOrg = enforcingProvider(app, { orgId: org.id })
  const token = await sessionOf(app, olaf.id, null, ofOrg)
  app.db.run(q.deleteFrom('organization_users').where('user_id', '=', olaf.id))
  expect((await app.call(authMe, {}, { token })).status).toBe(401)
  const query = { ownerScope: 'organization', orgId: org.id } as const
  expect((await app.call(removeUser, { params: { id: olaf.id }, query }, admin)).status).toBe(404)
})
