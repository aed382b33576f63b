import { describe, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { authMe, login, mfaVerify } from '../../shared/api/auth.ts'
import { acceptInvitation, declineInvitation, listInvitations } from '../../shared/api/invitations.ts'
import { enterMembership, listMemberships } from '../../shared/api/memberships.ts'
import { forgotPassword, resetPassword } from '../../shared/api/passwords.ts'
import {
  assignRole,
  inviteUser,
  listUsers,
  readUser,
  removeUser,
  resendInvite,
  resetUserMfa,
} from '../../shared/api/people.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { createRole, deleteRole, roleUsers } from '../../shared/api/roles.ts'
import { deleteSite } from '../../shared/api/sites.ts'
import { password, person, siteOf } from '../helpers/factories.ts'
import { linkIn, mailOf, mailsOf, tokenIn } from '../helpers/mail.ts'
import { auditOf, setOrganization, setPartner } from '../helpers/rows.ts'
import { sessionOf } from '../helpers/sessions.ts'
import {
  accept,
  acceptAll,
  chosen,
  deadMailServer,
  handedOver,
  inviteScene,
  lastToken,
  preview,
  tokenOfUrl,
  withoutMail,
} from './invite-kit.ts'
import { codeOf, signedInJar, withFactor } from './kit.ts'
import { addMembership } from './merge-kit.ts'

/** Inviting an existing account neither changes nor reveals anything about it before its owner accepts. */

const codes = ({ status, body }: { status: number; body: { code?: string | undefined } }) => [status, body.code]

/** Evelyn works at Umbrella; Acme knows her address and calls her Eve. */
async function scene(env: Record<string, string> = {}) {
  const one = await inviteScene(env)
  const { app, other, eve } = one
  const evelyn = { email: eve.email, name: 'Evelyn', scope: 'organization', orgId: other.org.id } as const
  const { id, token } = await person(app, evelyn)
  const userRow = () => app.db.first(q.selectFrom('users').selectAll().where('id', '=', id))
  const waiting = async () => (await app.call(listInvitations, {}, { token })).body.data
  const meOf = async (bearer: string | undefined) => (await app.call(usersMe, {}, { token: bearer })).body
  const signIn = (extra: object = {}) => app.call(login, { body: { email: eve.email, password, ...extra } })
  return { ...one, id, token, userRow, waiting, meOf, signIn }
}

test('an invitation changes nothing for an account until its owner accepts', async () => {
  await using one = await scene()
  const { app, admin, other, eve, invite, token, userRow, waiting, meOf, signIn } = one
  const before = userRow()
  expect((await invite({ orgAccess: 'all' })).status).toBe(201)
  expect(userRow()).toEqual(before)
  expect((await app.call(listMemberships, {}, { token })).body.data).toHaveLength(1)
  expect((await app.call(authMe, {}, { token })).status, 'sessions go on').toBe(200)
  const entered = await signIn()
  expect((await meOf(entered.body.tokens?.accessToken)).orgId, 'a sign-in lands where it did').toBe(other.org.id)

  const [offer] = await waiting()
  expect(offer).toEqual({
    id: expect.any(String),
    scope: 'partner',
    partnerName: 'Acme',
    orgName: null,
    roleName: 'Partner Viewer',
    inviterName: 'Ada Admin',
    isUsable: true,
    needsLink: false,
    createdAt: '2026-03-01T09:00:00.000Z',
    expiresAt: '2026-03-08T09:00:00.000Z',
  })
  const mail = await mailOf(app, 'invitation-existing')
  expect([mail.to, linkIn(mail).pathname]).toEqual([eve.email, '/accept-invite'])
  for (const words of ['Ada Admin', 'Acme', 'Hello Eve']) expect(mail.text).toContain(words)

  const accepted = await app.call(acceptInvitation, { params: { id: offer?.id ?? '' }, body: {} }, { token })
  expect([accepted.status, accepted.body]).toEqual([200, { membershipId: offer?.id }])
  expect(await waiting()).toEqual([])
  expect((await meOf(token)).orgId, 'accepting moves nobody').toBe(other.org.id)
  expect((await meOf((await signIn()).body.tokens?.accessToken)).orgId, 'nor the next sign-in').toBe(other.org.id)
  const there = await app.call(enterMembership, { params: { id: accepted.body.membershipId } }, { token })
  expect(await meOf(there.body.tokens.accessToken)).toMatchObject({ scope: 'partner', partnerId: admin.partnerId })
  expect((await meOf((await signIn()).body.tokens?.accessToken)).scope, 'but where they worked last').toBe('partner')
  const about = { resource_id: one.id, partner_id: admin.partnerId, actor_id: one.id }
  expect(auditOf(app, 'user.invite.accepted')).toMatchObject([about])
})

test('an inviter sees what they entered, and cannot tell whether the account exists', async () => {
  await using one = await scene(deadMailServer)
  const { app, admin, id, token, eve, invite, roleOf } = one
  await withFactor(app, token)
  const known = await invite()
  const unknown = await invite({ email: 'nobody@x.test', name: 'Eve' })
  const rowOf = async (userId: string) => (await app.call(readUser, { params: { id: userId } }, admin)).body
  const blank = (row: object, body: { id: string }) =>
    JSON.stringify(row).replaceAll(body.id, 'ID').replaceAll('nobody@x.test', eve.email)
  expect(blank(known.body, known.body)).toBe(blank(unknown.body, unknown.body))
  expect(blank(await rowOf(known.body.id), known.body)).toBe(blank(await rowOf(unknown.body.id), unknown.body))
  expect(known.body).toMatchObject({ email: eve.email, name: 'Eve', status: 'invited', inviteEmailSent: true })
  expect(known.body.id).not.toBe(id)
  const { data } = (await app.call(listUsers, {}, admin)).body
  expect(data.filter(({ status }) => status === 'invited')).toHaveLength(2)
  const roleId = roleOf('Partner Viewer')
  const holders = (await app.call(roleUsers, { params: { id: roleId } }, admin)).body.data
  expect(holders.find((row) => row.id === known.body.id)).toMatchObject({ status: 'invited', lastLoginAt: null })

  for (const call of [
    app.call(readUser, { params: { id } }, admin),
    app.call(removeUser, { params: { id } }, admin),
    app.call(assignRole, { params: { id }, body: { roleId } }, admin),
    app.call(resendInvite, { body: { userId: id } }, admin),
  ])
    expect(codes(await call)).toEqual([404, 'user_not_found'])
  const picture = await app.inject({
    url: `/api/v1/users/${known.body.id}/avatar`,
    headers: { authorization: `Bearer ${admin.token}` },
  })
  expect(picture.statusCode).toBe(404)
  const strict = await sessionOf(app, admin.userId, 'totp')
  const reset = await app.call(resetUserMfa, { params: { id: known.body.id } }, { token: strict })
  expect(codes(reset)).toEqual([400, 'mfa_not_enabled'])
  const told = JSON.stringify(auditOf(app, 'user.invite'))
  for (const words of [id, 'Evelyn']) expect(told).not.toContain(words)
})

test('a pending invitation of an account can be changed, resent and revoked like any other', async () => {
  await using one = await scene()
  const { app, admin, eve, invite, roleOf } = one
  const { body } = await invite()
  expect(codes(await invite())).toEqual([409, 'user_in_scope'])
  const first = await lastToken(app)
  const wider = { roleId: roleOf('Partner Technician'), orgAccess: 'all' as const }
  expect((await app.call(assignRole, { params: { id: body.id }, body: wider }, admin)).status).toBe(200)
  app.clock.advance(3 * 24 * 3600_000)
  const resent = await app.call(resendInvite, { body: { userId: body.id } }, await signedInAgain(app, admin))
  expect(resent.body).toEqual({ success: true, ...handedOver })
  expect((await preview(app, first)).status).toBe(404)
  const bearer = { token: (await app.call(login, { body: { email: eve.email, password } })).body.tokens?.accessToken }
  const [offer] = (await app.call(listInvitations, {}, bearer)).body.data
  expect(offer).toMatchObject({ roleName: 'Partner Technician', expiresAt: '2026-03-11T09:00:00.000Z' })
  expect((await preview(app, await lastToken(app))).body).toMatchObject({ hasAccount: true, partnerName: 'Acme' })
  const owner = await signedInAgain(app, admin)
  expect((await app.call(removeUser, { params: { id: body.id } }, owner)).status).toBe(200)
  expect((await app.call(listInvitations, {}, bearer)).body.data).toEqual([])
  const late = await app.call(acceptInvitation, { params: { id: offer?.id ?? '' }, body: {} }, bearer)
  expect(codes(late)).toEqual([404, 'invitation_not_found'])
  expect((await preview(app, await lastToken(app))).status).toBe(404)
})

async function signedInAgain(app: Awaited<ReturnType<typeof scene>>['app'], { email }: { email: string }) {
  return { token: (await app.call(login, { body: { email, password } })).body.tokens?.accessToken }
}

test('invitations of other people and expired ones cannot be accepted or declined', async () => {
  await using one = await scene()
  const { app, admin, orgAdmin, token, invite, waiting } = one
  await invite()
  const [offer] = await waiting()
  const params = { id: offer?.id ?? '' }
  const before = app.rowCounts()
  for (const bearer of [admin.token, orgAdmin.token])
    for (const contract of [acceptInvitation, declineInvitation])
      expect(codes(await app.call(contract, { params, body: {} }, { token: bearer }))).toEqual([
        404,
        'invitation_not_found',
      ])
  setPartner(app, admin.partnerId, { status: 'suspended' })
  expect((await waiting())[0]).toMatchObject({ isUsable: false })
  const closed = await app.call(acceptInvitation, { params, body: {} }, { token })
  expect(codes(closed)).toEqual([409, 'membership_unusable'])
  setPartner(app, admin.partnerId, { status: 'active' })
  expect(app.rowCounts()).toEqual(before)
  app.clock.advance(7 * 24 * 3600_000)
  const bearer = (await one.signIn()).body.tokens?.accessToken
  expect((await app.call(listInvitations, {}, { token: bearer })).body.data).toEqual([])
  expect(codes(await app.call(acceptInvitation, { params, body: {} }, { token: bearer }))).toEqual([
    404,
    'invitation_not_found',
  ])
  expect(auditOf(app, 'user.invite.accepted')).toEqual([])
})

test('a declined invitation disappears for both sides and does not reveal who declined it', async () => {
  await using one = await scene()
  const { app, admin, id, token, invite, waiting } = one
  const { body } = await invite()
  const [offer] = await waiting()
  const declined = await app.call(declineInvitation, { params: { id: offer?.id ?? '' } }, { token })
  expect(declined.status).toBe(200)
  expect(codes(await app.call(readUser, { params: { id: body.id } }, admin))).toEqual([404, 'user_not_found'])
  const [event] = auditOf(app, 'user.invite.declined')
  expect(event).toMatchObject({ resource_id: body.id, partner_id: admin.partnerId, actor_type: 'system' })
  expect(JSON.stringify(event)).not.toContain(id)
  expect((await invite()).status, 'and may be asked again').toBe(201)
})

test('ten simultaneous acceptances make one membership', async () => {
  await using one = await scene()
  const { app, token, invite, waiting } = one
  await invite()
  const [offer] = await waiting()
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      app.call(acceptInvitation, { params: { id: offer?.id ?? '' }, body: {} }, { token }),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)])
  expect(auditOf(app, 'user.invite.accepted')).toHaveLength(1)
})

test('when one tenant refuses a sign-in, it lands in another that allows it', async () => {
  const proxies = { TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXY_CIDRS: '127.0.0.1/32' }
  await using one = await scene(proxies)
  const { app, admin, other, token, eve, invite, meOf, signIn } = one
  await invite()
  const [membershipId] = await acceptAll(app, token)
  const enter = (bearer: string) =>
    app.call(enterMembership, { params: { id: membershipId as string } }, { token: bearer })
  await enter(token)
  const settings = (security: object) => setPartner(app, admin.partnerId, { settings: toJson({ security }) })

  settings({ ipAllowlist: ['203.0.113.0/24'] })
  const home = (await signIn()).body.tokens?.accessToken as string
  expect(await meOf(home), 'not where the list keeps them out').toMatchObject({ orgId: other.org.id })
  expect((await enter(home)).status, 'that list applies on entering').toBe(403)

  settings({})
  const { enabled, secret } = await withFactor(app, home)
  await enter(enabled.body.tokens.accessToken)
  settings({ allowedMfaMethods: { totp: false, sms: false } })
  app.db.run(
    q
      .updateTable('users')
      .set({ mfa_recovery_codes: toJson([]) })
      .where('email', '=', eve.email),
  )
  const challenged = (await signIn()).body
  expect(challenged).toMatchObject({ mfaRequired: true, allowedMethods: { totp: true } })
  const answered = await answer(app, challenged, codeOf(app, secret))
  expect(await meOf(answered.body.tokens?.accessToken)).toMatchObject({ orgId: other.org.id })
})

async function answer(app: Awaited<ReturnType<typeof scene>>['app'], challenge: object, code: string) {
  const { tempToken } = challenge as { tempToken: string }
  return app.call(mfaVerify, { body: { tempToken, code } })
}

test('a user without any membership accepts by signing in with the mailed link', async () => {
  await using one = await scene()
  const { app, admin, other, id, eve, invite, signIn, meOf } = one
  const query = { ownerScope: 'organization', orgId: other.org.id } as const
  expect((await app.call(removeUser, { params: { id }, query }, { token: other.admin.token })).status).toBe(200)
  await app.call(forgotPassword, { body: { email: eve.email } })
  expect(await mailsOf(app), 'nothing is open to them').toEqual([])
  await invite()
  const inviteToken = await lastToken(app)
  expect(codes(await signIn())).toEqual([401, 'invalid_credentials'])
  expect(codes(await signIn({ inviteToken: 'x'.repeat(48) }))).toEqual([401, 'invalid_credentials'])
  expect(codes(await signIn({ inviteToken, password: 'Wrong1Password' }))).toEqual([401, 'invalid_credentials'])
  expect(codes(await accept(app, inviteToken)), 'no password is set over the old one').toEqual([
    409,
    'invite_needs_sign_in',
  ])
  await app.call(forgotPassword, { body: { email: eve.email } })
  const reset = { token: tokenIn(await mailOf(app, 'password-reset')), password: chosen }
  expect((await app.call(resetPassword, { body: reset })).status).toBe(200)
  expect(
    auditOf(app, 'user.password.reset').map(({ partner_id }) => partner_id),
    'which is nothing of the inviter’s',
  ).toEqual([null])
  const entered = await signIn({ inviteToken, password: chosen })
  expect(entered.status).toBe(200)
  expect(await meOf(entered.body.tokens?.accessToken)).toMatchObject({ scope: 'partner', partnerId: admin.partnerId })
  expect(auditOf(app, 'user.invite.accepted')).toMatchObject([{ resource_id: id, partner_id: admin.partnerId }])
  expect((await signIn({ password: chosen })).status).toBe(200)
})

test('a user without any membership must also show their second factor before the invitation is accepted', async () => {
  await using one = await scene()
  const { app, admin, other, id, token, invite, signIn, meOf } = one
  const { secret } = await withFactor(app, token)
  const query = { ownerScope: 'organization', orgId: other.org.id } as const
  await app.call(removeUser, { params: { id }, query }, { token: other.admin.token })
  await invite()
  const challenged = await signIn({ inviteToken: await lastToken(app) })
  expect(challenged.body.mfaRequired).toBe(true)
  expect(auditOf(app, 'user.invite.accepted')).toEqual([])
  app.clock.advance(31_000)
  const answered = await answer(app, challenged.body, codeOf(app, secret))
  expect(await meOf(answered.body.tokens?.accessToken)).toMatchObject({ partnerId: admin.partnerId })
})

test('a link shown because no mail is sent needs the sign-in of the account owner', async () => {
  await using one = await scene(withoutMail)
  const { app, invite, token, waiting, userRow } = one
  const before = userRow()
  const { body } = await invite()
  expect(body).toMatchObject({ inviteEmailSent: false, warning: expect.stringContaining('account already') })
  const shown = new URL(body.inviteUrl ?? '').searchParams.get('token') ?? ''
  expect(codes(await accept(app, shown))).toEqual([409, 'invite_needs_sign_in'])
  expect(userRow()).toEqual(before)
  const [offer] = await waiting()
  const accepted = await app.call(acceptInvitation, { params: { id: offer?.id ?? '' }, body: {} }, { token })
  expect(accepted.status).toBe(200)
})

describe('an unconfirmed address', () => {
  /** Olaf uses the address of somebody at Umbrella and chose the password of its account. */
  async function squatted() {
    const one = await inviteScene(withoutMail)
    const { app, other, orgAdmin, eveThere, invite, roleOf } = one
    const link = tokenOfUrl((await invite(eveThere, orgAdmin.token)).body.inviteUrl)
    const offered = { roleId: roleOf('Partner Admin'), orgAccess: 'all' } as const
    const { body } = await invite(offered, other.admin.token)
    const entered = await accept(app, link)
    const bearer = { token: entered.body.tokens?.accessToken ?? '' }
    const waiting = async () => (await app.call(listInvitations, {}, bearer)).body.data
    const accepts = (token?: string) =>
      app.call(acceptInvitation, { params: { id: body.id }, body: token === undefined ? {} : { token } }, bearer)
    return { ...one, offer: body, bearer, waiting, accepts }
  }

  test('accepts invitations only with their own link', async () => {
    await using one = await squatted()
    const { app, other, eve, eveThere, invite, offer, bearer, waiting, accepts } = one
    expect(await waiting()).toMatchObject([{ id: offer.id, needsLink: true }])
    const ofEve = (await invite({ ...eveThere, orgId: other.org.id }, other.admin.token)).body.inviteUrl
    const ofBo = (await invite({ email: 'bo@x.test' }, other.admin.token)).body.inviteUrl
    const before = app.rowCounts()
    for (const token of [undefined, 'x'.repeat(48), tokenOfUrl(ofEve), tokenOfUrl(ofBo)])
      expect(codes(await accepts(token))).toEqual([403, 'invitation_by_mail'])
    expect(app.rowCounts()).toEqual(before)
    expect(auditOf(app, 'user.invite.accepted')).toHaveLength(1)

    expect((await accepts(tokenOfUrl(offer.inviteUrl))).status).toBe(200)
    expect((await app.call(listMemberships, {}, bearer)).body.data).toHaveLength(2)
    expect(app.db.first(q.selectFrom('users').select('email_verified_at').where('email', '=', eve.email))).toEqual({
      email_verified_at: null,
    })
  })

  test('is not confirmed by an invitation mailed in the meantime', async () => {
    await using one = await inviteScene()
    const { app, other, eve, eveThere, invite } = one
    const squatter = { email: eve.email, scope: 'organization', orgId: one.org.id, isVerified: false } as const
    const { token } = await person(app, squatter)
    const { id } = (await invite({ ...eveThere, orgId: other.org.id }, other.admin.token)).body
    const reply = (body: { token?: string }) => app.call(acceptInvitation, { params: { id }, body }, { token })
    const decline = (body: { token?: string }) => app.call(declineInvitation, { params: { id }, body }, { token })
    const before = app.rowCounts()
    expect(codes(await decline({}))).toEqual([403, 'invitation_by_mail'])
    expect(app.rowCounts()).toEqual(before)
    expect(auditOf(app, 'user.invite.declined')).toEqual([])
    expect(codes(await reply({}))).toEqual([403, 'invitation_by_mail'])
    expect((await reply({ token: await lastToken(app) })).status, 'its reader may').toBe(200)
    expect(auditOf(app, 'user.invite.accepted')).toHaveLength(1)
    const again = (await invite(one.eve, other.admin.token)).body.id
    const turnedDown = { params: { id: again }, body: { token: await lastToken(app) } }
    expect((await app.call(declineInvitation, turnedDown, { token })).status).toBe(200)
  })

  test('gets no invitation link at all if the address is a future platform admin', async () => {
    await using one = await inviteScene({ ...withoutMail, PLATFORM_ADMINS: 'root@x.test' })
    const { app, org, other, invite } = one
    await person(app, { email: 'root@x.test', scope: 'organization', orgId: org.id, isVerified: false })
    const { body } = await invite({ email: 'root@x.test' }, other.admin.token)
    expect(body).toMatchObject({ inviteEmailSent: false, warning: expect.any(String) })
    expect(body).not.toHaveProperty('inviteUrl')
  })

  test('is no obstacle for the first administrator, whose address counts as confirmed', async () => {
    await using one = await inviteScene(withoutMail)
    const { app, admin, other, invite } = one
    const { id } = (await invite({ email: admin.email }, other.admin.token)).body
    expect((await app.call(acceptInvitation, { params: { id }, body: {} }, admin)).status).toBe(200)
  })
})

test('the link shows its holder what the inviter entered and nothing about the account', async () => {
  await using one = await scene(withoutMail)
  const { app, id, invite } = one
  const link = tokenOfUrl((await invite()).body.inviteUrl)
  app.db.run(q.updateTable('users').set({ email: 'moved@x.test' }).where('id', '=', id))
  const { body } = await preview(app, link)
  expect(body).toMatchObject({ email: 'eve@x.test', name: 'Eve', hasAccount: true, about: [] })
  for (const words of ['Evelyn', 'moved']) expect(JSON.stringify(body)).not.toContain(words)
})

test('expired invitations do not block deleting a role, with or without an account', async () => {
  await using one = await scene()
  const { app, admin, invite, org, eveThere } = one
  const { body: role } = await app.call(createRole, { body: { name: 'Short-lived' } }, admin)
  const { body: ofOrg } = await app.call(createRole, { body: { name: 'Local', orgId: org.id } }, admin)
  const strangers = [{}, { email: 'nobody@x.test' }]
  for (const who of strangers) {
    expect((await invite({ ...who, roleId: role.id })).status).toBe(201)
    expect((await invite({ ...eveThere, ...who, orgId: org.id, roleId: ofOrg.id })).status).toBe(201)
  }
  const strict = async () => ({ token: await sessionOf(app, admin.userId, 'totp') })
  app.clock.advance(6 * 24 * 3600_000)
  const early = await strict()
  for (const who of strangers) expect(codes(await invite(who, early.token))).toEqual([409, 'user_in_scope'])
  expect(codes(await app.call(deleteRole, { params: { id: role.id } }, early))).toEqual([400, 'role_has_users'])
  const before = app.rowCounts()
  app.clock.advance(24 * 3600_000)
  const late = await strict()
  expect(codes(await app.call(deleteRole, { params: { id: role.id } }, late))).toEqual([200, undefined])
  for (const who of strangers)
    expect(codes(await invite({ ...eveThere, ...who, orgId: org.id }, late.token))).toEqual([201, undefined])
  expect(app.rowCounts().partner_users).toBe((before.partner_users ?? 0) - 1)
  expect(app.rowCounts().invitations, 'one of each in the organization').toBe(2)
  const query = { ownerScope: 'organization', orgId: org.id } as const
  const { data } = (await app.call(listUsers, { query }, late)).body
  expect(data.filter(({ status }) => status === 'invited').map(({ email }) => email)).toHaveLength(2)
})

test('an invitation drops a deleted site, and accepting it leaves an existing membership unchanged', async () => {
  await using one = await scene()
  const { app, admin, org, id, token, eveThere, invite, roleOf } = one
  const [kept, gone] = [await siteOf(app, admin.token, org.id, 'Kept'), await siteOf(app, admin.token, org.id, 'Gone')]
  const offer = (await invite({ ...eveThere, orgId: org.id, siteIds: [kept.id, gone.id] })).body
  expect((await app.call(deleteSite, { params: { id: gone.id } }, admin)).status).toBe(200)
  const offered = app.db.first(q.selectFrom('invitations').select('site_ids').where('id', '=', offer.id))
  expect(offered).toEqual({ site_ids: toJson([kept.id]) })

  // As after a merge of the inviting organization into one they belong to.
  addMembership(app, org.id, id, roleOf('Org Admin', 'organization'), null)
  const before = app.db.all(q.selectFrom('organization_users').selectAll())
  const held = before.find(({ org_id, user_id }) => org_id === org.id && user_id === id)
  const accepted = await app.call(acceptInvitation, { params: { id: offer.id }, body: {} }, { token })
  expect([accepted.status, accepted.body]).toEqual([200, { membershipId: held?.id }])
  expect(app.db.all(q.selectFrom('organization_users').selectAll())).toEqual(before)
  expect(app.rowCounts().invitations).toBe(0)
})

test('a disabled account gets no mail, and only an operator is told that it is disabled', async () => {
  await using one = await scene()
  const { app, other, eve, invite } = one
  app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('email', '=', eve.email))
  expect(codes(await invite({}, other.admin.token))).toEqual([201, undefined])
  expect(await mailsOf(app)).toEqual([])
  expect(codes(await accept(app, 'x'))).toEqual([400, 'invite_invalid'])
  const operator = await person(app, { email: 'root@x.test', scope: 'system' })
  const body = { ...eve, partnerId: one.admin.partnerId }
  expect(codes(await app.call(inviteUser, { body }, operator))).toEqual([409, 'user_disabled'])
})

test('an operator cannot accept an invitation and stays an operator', async () => {
  await using one = await scene()
  const { app, other, invite, meOf } = one
  const operator = await person(app, { email: 'root@x.test', scope: 'system' })
  expect((await invite({ email: operator.email }, other.admin.token)).status).toBe(201)
  const [offer] = (await app.call(listInvitations, {}, operator)).body.data
  const accepted = await app.call(acceptInvitation, { params: { id: offer?.id ?? '' }, body: {} }, operator)
  expect(codes(accepted)).toEqual([409, 'operator_without_tenant'])
  expect((await meOf(operator.token)).scope).toBe('system')
  expect((await signedInJar(app, operator.email, password)).token).toBeTruthy()
})

test('an organization that is suspended or deleted invalidates its invitations', async () => {
  await using one = await scene()
  const { app, org, token, eveThere, invite, waiting } = one
  await invite({ ...eveThere, orgId: org.id })
  expect(await waiting()).toMatchObject([{ orgName: 'Berlin', partnerName: 'Acme', isUsable: true }])
  const [offer] = await waiting()
  setOrganization(app, org.id, { status: 'suspended' })
  expect(await waiting()).toMatchObject([{ isUsable: false }])
  setOrganization(app, org.id, { deleted_at: 'x' })
  expect(await waiting()).toEqual([])
  const accepted = await app.call(acceptInvitation, { params: { id: offer?.id ?? '' }, body: {} }, { token })
  expect(codes(accepted)).toEqual([404, 'invitation_not_found'])
})
