import { describe, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { login } from '../../shared/api/auth.ts'
import { previewInvite } from '../../shared/api/invitations.ts'
import { updateMailSettings } from '../../shared/api/messaging.ts'
import { forgotPassword, resetPassword } from '../../shared/api/passwords.ts'
import { listUsers, removeUser, resendInvite, updateUser } from '../../shared/api/people.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { createRole } from '../../shared/api/roles.ts'
import { eventually } from '../helpers/eventually.ts'
import { member, organizationOf, password, person, siteOf } from '../helpers/factories.ts'
import { linkIn, mailOf, mailRows, mailsOf, tokenIn } from '../helpers/mail.ts'
import { mailServer } from '../helpers/mail-server.ts'
import { auditOf, setOrganization, setPartner } from '../helpers/rows.ts'
import { sessionOf } from '../helpers/sessions.ts'
import type { TestApp } from '../helpers/test-app.ts'
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
  tokensSent,
  withoutMail,
} from './invite-kit.ts'
import { give, grants } from './role-kit.ts'

const userOf = (app: TestApp, email: string) =>
  app.db.first(q.selectFrom('users').selectAll().where('email', '=', email))
const attempt = async (app: TestApp, email: string, secret: string) =>
  (await app.call(login, { body: { email, password: secret } })).status
const codes = ({ status, body }: { status: number; body: { code?: string | undefined } }) => [status, body.code]

test('an invitation leads from the mail through preview and password to a session', async () => {
  await using scene = await inviteScene()
  const { app, admin, eve, invite } = scene
  const { status, body, headers } = await invite({ email: ' EVE@x.test ', orgAccess: 'all' })
  expect([status, headers['cache-control']]).toEqual([201, 'no-store'])
  const { email, name, roleId } = eve
  expect(body).toEqual({ id: expect.any(String), email, name, status: 'invited', roleId, ...handedOver })
  expect(await attempt(app, email, chosen), 'nobody is in before they accept').toBe(401)

  const mail = await mailOf(app, 'invitation')
  expect(mail.to).toBe(email)
  for (const part of [mail.text, mail.html]) {
    for (const words of ['Ada Admin', 'Acme', 'expires on 8 March 2026']) expect(part).toContain(words)
    expect(part).toContain('Hello Eve')
  }
  expect(linkIn(mail).pathname).toBe('/accept-invite')
  const token = await lastToken(app)
  for (const secret of [token, chosen]) expect(app.db.serialize().includes(secret)).toBe(false)

  const looked = await preview(app, token)
  expect(looked.body).toEqual({
    email,
    name,
    hasAccount: false,
    partnerName: 'Acme',
    expiresAt: '2026-03-08T09:00:00.000Z',
    about: expect.arrayContaining([email, name, 'Acme']),
  })
  const accepted = await accept(app, token)
  expect([accepted.status, accepted.cookies.map(({ name: cookie }) => cookie).sort()]).toEqual([
    200,
    ['svc_csrf_token', 'svc_known_browser', 'svc_refresh_token'],
  ])
  expect(accepted.body.user).toMatchObject({ id: body.id, email, name, mfaEnabled: false })
  const me = await app.call(usersMe, {}, { token: accepted.body.tokens?.accessToken })
  expect(me.body).toMatchObject({ scope: 'partner', partnerId: admin.partnerId, emailVerified: true, status: 'active' })
  expect(me.body.requiresSetup, 'the wizard is not for them').toBe(false)
  const people = (await app.call(listUsers, {}, { token: admin.token })).body.data
  expect(people.find(({ id }) => id === body.id)).toMatchObject({ status: 'active', inviteExpiresAt: null })
  expect(userOf(app, email)).toMatchObject({ password_changed_at: '2026-03-01T09:00:00.000Z' })
  expect(await attempt(app, email, chosen)).toBe(200)
  for (const secret of [token, chosen]) expect(app.db.serialize().includes(secret)).toBe(false)

  const about = { resource_id: body.id, partner_id: admin.partnerId, result: 'success' }
  expect(auditOf(app, 'user.invite')).toMatchObject([{ ...about, actor_id: admin.userId }])
  for (const action of ['user.invite.accepted', 'user.password.set'])
    expect(auditOf(app, action)).toMatchObject([{ ...about, actor_id: body.id }])
  expect(auditOf(app, 'user.login')[1]).toMatchObject({ ...about, details: { method: 'invitation', mfa: false } })
})

test('a used link is reported as used, and an unknown one like an expired one', async () => {
  await using scene = await inviteScene()
  const { app, invite } = scene
  await invite()
  const token = await lastToken(app)
  const unknown = await preview(app, 'x'.repeat(48))
  expect([unknown.status, unknown.body.error]).toEqual([404, 'invalid_or_expired'])
  expect(codes(await accept(app, 'x'.repeat(48)))).toEqual([400, 'invite_invalid'])
  await accept(app, token)
  const used = await preview(app, token)
  expect([used.status, used.body.error]).toEqual([410, 'already_accepted'])
  expect(codes(await accept(app, token))).toEqual([400, 'already_accepted'])
  await invite({ email: 'late@x.test' })
  const late = await lastToken(app)
  await invite({ email: 'shut@x.test' })
  const shut = await lastToken(app)
  app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('email', '=', 'shut@x.test'))
  expect(codes(await accept(app, shut))).toEqual([400, 'invite_invalid'])
  app.clock.advance(7 * 24 * 3600_000)
  const { requestId: _, ...over } = (await preview(app, late)).body
  const { requestId: __, ...none } = unknown.body
  expect(over).toEqual(none)
  expect(codes(await accept(app, late))).toEqual([400, 'invite_invalid'])
})

test('a token in the path of a URL answers 410', async () => {
  await using scene = await inviteScene()
  const { app, invite } = scene
  await invite()
  const url = `/api/v1/auth/invite/preview/${await lastToken(app)}`
  expect((await app.inject({ method: 'GET', url })).statusCode).toBe(410)
})

test('a weak password keeps the token valid, and a resend invalidates the first link', async () => {
  await using scene = await inviteScene()
  const { app, admin, invite } = scene
  const { body } = await invite()
  const first = await lastToken(app)
  for (const weak of ['short', 'Password123', 'Eve@x.test1']) {
    const refused = await accept(app, first, weak)
    expect([refused.status, refused.body.code], weak).toEqual([400, 'validation_failed'])
  }
  const resent = await app.call(resendInvite, { body: { userId: body.id } }, { token: admin.token })
  expect(resent.body).toEqual({ success: true, ...handedOver })
  const [, second] = await tokensSent(app)
  expect(codes(await preview(app, first))).toEqual([404, 'invalid_or_expired'])
  expect(codes(await accept(app, first))).toEqual([400, 'invite_invalid'])
  expect((await accept(app, second as string)).status).toBe(200)
  expect(auditOf(app, 'user.invite.resend')).toMatchObject([{ resource_id: body.id, partner_id: admin.partnerId }])
})

test('an invitation is only resent to an invited member of the tenant, and rate limited', async () => {
  await using scene = await inviteScene({ HOMEPORT_LIMIT_INVITE_RESEND: '2/3600' })
  const { app, admin, other, orgAdmin, org, invite } = scene
  const resend = async (userId: string, token = admin.token, query = {}) =>
    codes(await app.call(resendInvite, { query, body: { userId } }, { token }))
  const { id } = (await invite()).body
  for (const [userId, token] of [
    [other.admin.id, admin.token],
    [id, other.admin.token],
    [id, orgAdmin.token],
  ] as const)
    expect(await resend(userId, token)).toEqual([404, 'user_not_found'])
  expect(await resend(admin.userId)).toEqual([400, 'user_not_invited'])
  expect(await resend(orgAdmin.id, admin.token, { ownerScope: 'organization', orgId: org.id })).toEqual([
    400,
    'user_not_invited',
  ])
  expect(await resend(id)).toEqual([200, undefined])
  expect(await resend(id)).toEqual([200, undefined])
  expect(await resend(id)).toEqual([429, 'rate_limited'])
})

test('inviting and removing the same user over and over is rate limited', async () => {
  await using scene = await inviteScene({ HOMEPORT_LIMIT_INVITE_RESEND: '2/3600' })
  const { app, other, eve, invite } = scene
  await member(app, { email: eve.email, scope: 'partner', partnerId: other.partnerId })
  const again = async (email = eve.email) => {
    const invited = await invite({ email })
    if (invited.status === 201) await app.call(removeUser, { params: { id: invited.body.id } }, scene.admin)
    return codes(invited)
  }
  expect([await again(), await again(), await again()]).toEqual([
    [201, undefined],
    [201, undefined],
    [429, 'rate_limited'],
  ])
  const unknown = 'nobody@x.test'
  expect(
    [await again(unknown), await again(unknown), await again(unknown)],
    'nor does it tell who has an account',
  ).toEqual([
    [201, undefined],
    [201, undefined],
    [429, 'rate_limited'],
  ])
  expect(codes(await invite({ ...scene.eveThere, orgId: scene.org.id })), 'elsewhere they are').toEqual([
    201,
    undefined,
  ])
})

test('invitation mail to one address is limited per day across tenants of a company', async () => {
  await using scene = await inviteScene({ HOMEPORT_LIMIT_INVITE_ADDRESS: '3/86400' })
  const { app, admin, eveThere, invite } = scene
  const statuses = []
  for (const name of ['One', 'Two', 'Three', 'Four'])
    statuses.push((await invite({ ...eveThere, orgId: (await organizationOf(app, admin.token, name)).id })).status)
  expect(statuses).toEqual([201, 201, 201, 429])
  const before = app.rowCounts()
  expect(codes(await invite())).toEqual([429, 'rate_limited'])
  expect(app.rowCounts()).toEqual(before)
  expect((await invite({ email: 'somebody.else@x.test' })).status).toBe(201)
})

test('the invitations of one company do not use up the limit of another for the same address', async () => {
  await using scene = await inviteScene({
    HOMEPORT_LIMIT_INVITE_ADDRESS: '2/86400',
    HOMEPORT_LIMIT_INVITE_MAIL: '3/86400',
  })
  const { app, admin, org, other, eveThere, invite } = scene
  await invite()
  await invite({ ...eveThere, orgId: org.id })
  const more = { ...eveThere, orgId: (await organizationOf(app, admin.token, 'More')).id }
  expect(codes(await invite(more))).toEqual([429, 'rate_limited'])
  const theirs = await invite({}, other.admin.token)
  expect(codes(theirs)).toEqual([201, undefined])
  expect(await tokensSent(app)).toHaveLength(3)

  const again = { body: { userId: theirs.body.id } }
  const resent = await app.call(resendInvite, again, { token: other.admin.token })
  expect(resent.body, 'nor do mails of all companies together refuse anybody').toEqual({
    success: true,
    ...handedOver,
  })
  expect(await tokensSent(app), 'but none leaves').toHaveLength(3)
  expect((await preview(app, await lastToken(app))).status, 'and the link of the last stays good').toBe(200)
  app.clock.advance(24 * 3600_000)
  const later = { token: await sessionOf(app, other.admin.id) }
  expect((await app.call(resendInvite, again, later)).status).toBe(200)
  expect(await tokensSent(app)).toHaveLength(4)
})

test('ten simultaneous uses of one link sign in once and have no effect twice', async () => {
  await using scene = await inviteScene()
  const { app, invite } = scene
  const { id } = (await invite()).body
  const token = await lastToken(app)
  const passwords = Array.from({ length: 10 }, (_, index) => `${chosen}-${index}`)
  const answers = await Promise.all(passwords.map((secret) => accept(app, token, secret)))
  expect(answers.map(codes).sort()).toEqual([[200, undefined], ...Array(9).fill([400, 'already_accepted'])])
  const winner = passwords[answers.findIndex(({ status }) => status === 200)] as string
  expect(await attempt(app, 'eve@x.test', winner)).toBe(200)
  for (const action of ['user.invite.accepted', 'user.password.set'])
    expect(auditOf(app, action).filter(({ resource_id }) => resource_id === id)).toHaveLength(1)
  expect(app.db.all(q.selectFrom('sessions').selectAll().where('user_id', '=', id))).toHaveLength(2)
})

test('ten simultaneous invitations of one address make one account, one membership and one mail', async () => {
  await using scene = await inviteScene()
  const { app, invite } = scene
  const answers = await Promise.all(Array.from({ length: 10 }, () => invite()))
  expect(answers.map(codes).sort()).toEqual([[201, undefined], ...Array(9).fill([409, 'user_in_scope'])])
  const refused = answers.find(({ status }) => status === 409)
  expect(refused?.body.error).toBe('User already exists in this scope')
  const { id } = userOf(app, 'eve@x.test') ?? {}
  expect(
    app.db.all(
      q
        .selectFrom('partner_users')
        .selectAll()
        .where('user_id', '=', id as string),
    ),
  ).toHaveLength(1)
  expect(await tokensSent(app)).toHaveLength(1)
})

test('previewing and accepting links is rate limited by address', async () => {
  await using scene = await inviteScene()
  const { app } = scene
  const looks = []
  for (let n = 0; n < 31; n++) looks.push((await preview(app, 'x')).status)
  expect(looks).toEqual([...Array(30).fill(404), 429])
  const tries = []
  for (let n = 0; n < 11; n++) tries.push((await accept(app, 'x')).status)
  expect(tries).toEqual([...Array(10).fill(400), 429])
  const { body } = await accept(app, 'x')
  expect(body.retryAfter).toBeGreaterThan(0)
  expect((await accept(app, 'x', chosen, '10.9.8.7')).status).toBe(400)
})

async function expectToSetNoPassword(app: TestApp, { inviteUrl }: { inviteUrl?: string | undefined }) {
  const token = tokenOfUrl(inviteUrl)
  expect((await preview(app, token)).body.hasAccount, 'as for an account that is in use').toBe(true)
  const before = app.db.all(q.selectFrom('users').selectAll())
  expect(codes(await accept(app, token))).toEqual([409, 'invite_needs_sign_in'])
  expect(app.db.all(q.selectFrom('users').selectAll())).toEqual(before)
}

describe('an appliance that sends no mail', () => {
  test('returns the link to the inviter when no other tenant has invited the account', async () => {
    await using scene = await inviteScene(withoutMail)
    const { app, admin, invite } = scene
    const { body } = await invite()
    expect(body).toMatchObject({ status: 'invited', inviteEmailSent: false, warning: expect.any(String) })
    const resent = (await app.call(resendInvite, { body: { userId: body.id } }, { token: admin.token })).body
    expect(codes(await accept(app, tokenOfUrl(body.inviteUrl)))).toEqual([400, 'invite_invalid'])
    expect((await accept(app, tokenOfUrl(resent.inviteUrl))).status).toBe(200)
    for (const { details } of auditOf(app, 'user.invite')) expect(JSON.stringify(details)).not.toContain('token=')
  })

  test('returns a link that cannot set a password when others have invited the account, and keeps their links valid', async () => {
    await using scene = await inviteScene(withoutMail)
    const { app, admin, orgAdmin, other, eveThere, invite } = scene
    const theirs = (await invite({}, other.admin.token)).body
    expect(theirs.inviteUrl).toBeTruthy()
    const [first, second] = [await invite(), await invite(eveThere, orgAdmin.token)]
    await expectToSetNoPassword(app, first.body)
    await expectToSetNoPassword(app, second.body)
    for (const answer of [
      await app.call(resendInvite, { body: { userId: first.body.id } }, { token: admin.token }),
      await app.call(resendInvite, { body: { userId: second.body.id } }, { token: orgAdmin.token }),
    ]) {
      expect(answer.status).toBe(200)
      expect(answer.body).toMatchObject({ inviteEmailSent: false, warning: expect.stringContaining('sign in') })
      await expectToSetNoPassword(app, answer.body)
    }
    expect((await accept(app, tokenOfUrl(theirs.inviteUrl))).status).toBe(200)
  })

  test('does the same when another tenant has a pending invitation of the account', async () => {
    await using scene = await inviteScene(withoutMail)
    const { app, other, invite } = scene
    const theirs = (await invite({}, other.admin.token)).body
    await app.call(removeUser, { params: { id: theirs.id } }, { token: other.admin.token })
    const again = (await invite({}, other.admin.token)).body
    expect(again.inviteUrl, 'belongs to nobody else by now').toBeTruthy()
    await expectToSetNoPassword(app, (await invite()).body)
    expect((await accept(app, tokenOfUrl(again.inviteUrl))).status).toBe(200)
  })

  test('invalidates a link once its inviters have revoked their invitation', async () => {
    await using scene = await inviteScene(withoutMail)
    const { app, admin, other, invite } = scene
    const theirs = (await invite({}, other.admin.token)).body
    const ours = (await invite()).body
    expect((await app.call(removeUser, { params: { id: ours.id } }, admin)).status).toBe(200)
    expect((await preview(app, tokenOfUrl(theirs.inviteUrl))).status, 'If yours is another one').toBe(200)
    const anew = (await invite()).body
    const removal = { params: { id: theirs.id } }
    expect((await app.call(removeUser, removal, { token: other.admin.token })).status).toBe(200)
    expect(codes(await accept(app, tokenOfUrl(theirs.inviteUrl)))).toEqual([400, 'invite_invalid'])
    const again = await app.call(resendInvite, { body: { userId: anew.id } }, admin)
    expect((await accept(app, tokenOfUrl(again.body.inviteUrl))).status).toBe(200)
  })

  test('returns no password link to an organization for an account that its partner has invited', async () => {
    await using scene = await inviteScene(withoutMail)
    const { app, orgAdmin, eveThere, invite } = scene
    await invite()
    await expectToSetNoPassword(app, (await invite(eveThere, orgAdmin.token)).body)
  })

  test('returns no password link to an inviter for a user with more permissions than the inviter', async () => {
    await using scene = await inviteScene(withoutMail)
    const { app, admin, org, eve, eveThere, invite, roleOf } = scene
    const { body: theirs } = await invite({ roleId: roleOf('Partner Admin'), orgAccess: 'all' })
    const powers = { name: 'Front desk', permissions: grants('users:read', 'users:invite') }
    const { body: role } = await app.call(createRole, { body: powers }, admin)
    const nothing = { name: 'Nothing', permissions: [], orgId: org.id }
    const { body: harmless } = await app.call(createRole, { body: nothing }, admin)
    const desk = await person(app, { email: 'desk@x.test', scope: 'partner', partnerId: admin.partnerId })
    give(app, desk.id, role.id)
    const more = [403, 'user_may_do_more']
    expect(codes(await app.call(resendInvite, { body: { userId: theirs.id } }, desk))).toEqual(more)
    const offered = await invite({ ...eve, roleId: harmless.id, orgId: org.id }, desk.token)
    expect(offered.body).toMatchObject({ inviteEmailSent: false, warning: expect.any(String) })
    await expectToSetNoPassword(app, offered.body)
    const own = await invite({ email: 'own@x.test', roleId: role.id }, desk.token)
    expect(own.body.inviteUrl, 'of those who may do as much').toBeTruthy()
    expect((await accept(app, tokenOfUrl(theirs.inviteUrl))).status).toBe(200)

    const site = await siteOf(app, admin.token, org.id)
    const confined = { scope: 'organization' as const, orgId: org.id, siteIds: [site.id] }
    const keeper = await person(app, { email: 'keeper@x.test', ...confined })
    const wide = await invite({ ...eveThere, email: 'wide@x.test', orgId: org.id })
    const again = await app.call(resendInvite, { body: { userId: wide.body.id } }, keeper)
    expect(codes(again)).toEqual(more)
  })

  test('returns no link to anybody for the address of a future platform admin', async () => {
    await using scene = await inviteScene({ ...withoutMail, PLATFORM_ADMINS: 'root@x.test' })
    const { app, admin, other, invite } = scene
    const root = await invite({ email: 'Root@x.test' }, other.admin.token)
    expect(root.body).toMatchObject({ status: 'invited', inviteEmailSent: false, warning: expect.any(String) })
    expect(root.body).not.toHaveProperty('inviteUrl')
    const resend = (token: string) => app.call(resendInvite, { body: { userId: root.body.id } }, { token })
    expect((await resend(other.admin.token)).body).not.toHaveProperty('inviteUrl')
    expect((await invite({ email: 'root@x.test' }, admin.token)).body, 'nor to an operator').not.toHaveProperty(
      'inviteUrl',
    )
    expect(app.db.all(q.selectFrom('one_time_secrets').selectAll()), 'nor is there one').toEqual([])
  })
})

describe('an appliance that writes mail to files', () => {
  test('gives the inviter a link of their own, which proves nothing about the address', async () => {
    await using scene = await inviteScene()
    const { app, eve, invite } = scene
    const { body } = await invite()
    const [handed, written] = [tokenOfUrl(body.inviteUrl), await lastToken(app)]
    expect(handed).not.toBe(written)
    for (const token of [handed, written]) expect((await preview(app, token)).body.email).toBe(eve.email)
    expect((await accept(app, handed)).status).toBe(200)
    expect(userOf(app, eve.email)).toMatchObject({ status: 'active', email_verified_at: null })
    for (const token of [handed, written]) expect(codes(await accept(app, token))).toEqual([400, 'already_accepted'])
  })

  test('a new invitation invalidates the links of the former one, handed over or written', async () => {
    await using scene = await inviteScene()
    const { app, admin, invite } = scene
    const { body } = await invite()
    const former = [tokenOfUrl(body.inviteUrl), await lastToken(app)]
    const again = (await app.call(resendInvite, { body: { userId: body.id } }, admin)).body
    for (const token of former) expect(codes(await accept(app, token))).toEqual([400, 'invite_invalid'])
    expect((await accept(app, tokenOfUrl(again.inviteUrl))).status).toBe(200)
  })

  test('gives no password link for an account that is not theirs alone; the one in the file sets the password', async () => {
    await using scene = await inviteScene()
    const { app, other, invite } = scene
    await invite({}, other.admin.token)
    const { body } = await invite()
    const written = await lastToken(app)
    await expectToSetNoPassword(app, body)
    expect((await accept(app, written)).status).toBe(200)
  })

  test('gives nobody a link for the address of a future platform admin, which is in the file only', async () => {
    await using scene = await inviteScene({ PLATFORM_ADMINS: 'root@x.test' })
    const { app, other, invite } = scene
    const { body } = await invite({ email: 'root@x.test' }, other.admin.token)
    expect(body).toMatchObject({ inviteEmailSent: false, warning: expect.any(String) })
    expect(body).not.toHaveProperty('inviteUrl')
    expect((await accept(app, await lastToken(app))).status).toBe(200)
  })
})

test('an unreachable mail server does not fail the invitation', async () => {
  await using scene = await inviteScene(deadMailServer)
  const { status, body } = await scene.invite()
  expect([status, body.inviteEmailSent, body.inviteUrl]).toEqual([201, true, undefined])
})

test('once there is a mail server, only invitations that are still open are mailed', async () => {
  await using server = await mailServer()
  await using scene = await inviteScene({ ...withoutMail, OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' })
  const { app, admin, invite } = scene
  const again = (id: string) => app.call(resendInvite, { body: { userId: id } }, { token: admin.token })
  const accepted = (await invite()).body
  const link = (await again(accepted.id)).body.inviteUrl
  expect((await accept(app, tokenOfUrl(link))).status).toBe(200)
  const waiting = (await invite({ email: 'bo@x.test' })).body
  const newest = (await again(waiting.id)).body.inviteUrl
  const removed = (await invite({ email: 'cy@x.test' })).body
  await app.call(removeUser, { params: { id: removed.id } }, { token: admin.token })

  const smtp = { host: '127.0.0.1', port: server.port, verifyCertificate: false, from: 'box@homeport.test' }
  expect((await app.call(updateMailSettings, { body: { smtp } }, { token: admin.token })).status).toBe(200)
  const statuses = () => mailRows(app.db).map(({ recipient, status }) => ({ recipient, status }))
  const left = (to: string, status: string) => ({ recipient: to, status })
  await eventually(() =>
    expect(statuses()).toEqual([
      ...['eve@x.test', 'eve@x.test', 'bo@x.test'].map((to) => left(to, 'expired')),
      left('bo@x.test', 'sent'),
      left('cy@x.test', 'expired'),
    ]),
  )
  expect(server.recipients()).toEqual(['bo@x.test'])
  const raw = server.received[0]?.raw.replace(/=\r\n/g, '').replace(/=3D/g, '=')
  expect(raw).toContain(tokenOfUrl(newest))
})

test('removing an invited user invalidates the link, and a new invitation works', async () => {
  await using scene = await inviteScene()
  const { app, admin, eve, invite } = scene
  const { id } = (await invite()).body
  const token = await lastToken(app)
  expect((await app.call(removeUser, { params: { id } }, { token: admin.token })).status).toBe(200)
  expect(codes(await preview(app, token))).toEqual([404, 'invalid_or_expired'])
  expect(codes(await accept(app, token))).toEqual([400, 'invite_invalid'])
  const again = await invite()
  expect(again.body).toMatchObject({ email: eve.email, status: 'invited' })
  expect((await accept(app, await lastToken(app))).status).toBe(200)
})

test('an account invited by two tenants is set up by either link, which accepts only that invitation', async () => {
  await using scene = await inviteScene()
  const { app, admin, other, invite } = scene
  await invite()
  const first = await lastToken(app)
  await invite({}, other.admin.token)
  const second = await lastToken(app)
  expect((await preview(app, first)).body.partnerName, 'nobody ends the link of others').toBe('Acme')
  const { body } = await preview(app, second)
  expect([body.partnerName, body.about]).toEqual(['Umbrella', ['eve@x.test', 'Eve', 'Umbrella']])
  const accepted = await accept(app, second)
  expect(accepted.status).toBe(200)
  const me = await app.call(usersMe, {}, { token: accepted.body.tokens?.accessToken })
  expect(me.body.partnerId, 'it lands where its link leads').toBe(other.partnerId)
  const statusAt = async (token: string) => {
    const { data } = (await app.call(listUsers, {}, { token })).body
    return data.find(({ email }) => email === 'eve@x.test')?.status
  }
  expect([await statusAt(other.admin.token), await statusAt(admin.token)]).toEqual(['active', 'invited'])
  expect((await preview(app, first)).body).toMatchObject({ partnerName: 'Acme', hasAccount: true })
  expect(codes(await accept(app, first, 'Another1Password'))).toEqual([409, 'invite_needs_sign_in'])
  expect(await acceptAll(app, accepted.body.tokens?.accessToken as string)).toHaveLength(1)
  expect(await statusAt(admin.token)).toBe('active')
})

test('deleting the inviting organization invalidates its link, and another tenant can send a new one', async () => {
  await using scene = await inviteScene()
  const { app, admin, org, orgAdmin, eveThere, invite } = scene
  const { id } = (await invite()).body
  await invite(eveThere, orgAdmin.token)
  const token = await lastToken(app)
  setOrganization(app, org.id, { deleted_at: 'x' })
  expect(codes(await accept(app, token))).toEqual([400, 'invite_invalid'])
  await app.call(resendInvite, { body: { userId: id } }, admin)
  expect((await accept(app, await lastToken(app))).status).toBe(200)
})

test('an invitation of a closed organization sets up the account without a session', async () => {
  await using scene = await inviteScene()
  const { app, org, orgAdmin, eveThere, invite } = scene
  await invite(eveThere, orgAdmin.token)
  const token = await lastToken(app)
  expect((await preview(app, token)).body).toMatchObject({ partnerName: 'Acme', orgName: org.name })
  setOrganization(app, org.id, { status: 'suspended' })
  const { status, body, cookies } = await accept(app, token)
  expect([status, body.tokens, cookies]).toEqual([200, null, []])
  expect(body.message).toEqual(expect.any(String))
  expect(await attempt(app, eveThere.email, chosen)).toBe(401)
  setOrganization(app, org.id, { status: 'active' })
  expect(await attempt(app, eveThere.email, chosen)).toBe(200)
})

test('accepting from an address outside the allow-list sets up the account without a session', async () => {
  const proxies = { TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXY_CIDRS: '127.0.0.1/32' }
  await using scene = await inviteScene(proxies)
  const { app, admin, invite } = scene
  await invite()
  const list = { security: { ipAllowlist: ['203.0.113.0/24'] } }
  setPartner(app, admin.partnerId, { settings: toJson(list) })
  const { status, body } = await accept(app, await lastToken(app))
  expect([status, body.tokens]).toEqual([200, null])
  expect(userOf(app, 'eve@x.test')?.status).toBe('active')
})

test('disabling and reinviting a user invalidates the pending link', async () => {
  await using scene = await inviteScene()
  const { app, admin, invite } = scene
  const { id } = (await invite()).body
  const first = await lastToken(app)
  const operator = await person(app, { email: 'root@x.test', scope: 'system' })
  for (const status of ['disabled', 'invited'] as const) {
    const changed = await app.call(updateUser, { params: { id }, body: { status } }, { token: operator.token })
    expect(changed.status).toBe(200)
    expect(codes(await preview(app, first)), status).toEqual([404, 'invalid_or_expired'])
  }
  await app.call(resendInvite, { body: { userId: id } }, { token: admin.token })
  expect((await accept(app, await lastToken(app))).status).toBe(200)
})

test('accepting gives no session to an account with a factor that was set back to invited', async () => {
  await using scene = await inviteScene()
  const { app, admin, partnerId } = { ...scene, partnerId: scene.admin.partnerId }
  const eve = await member(app, { email: 'eve@x.test', scope: 'partner', partnerId })
  const operator = await person(app, { email: 'root@x.test', scope: 'system' })
  app.db.run(
    q.updateTable('users').set({ mfa_enabled: 1, mfa_method: 'totp', mfa_secret: 'x' }).where('id', '=', eve.id),
  )
  app.db.run(q.updateTable('sessions').set({ mfa_at: '2026-03-01T09:00:00.000Z', mfa_source: 'totp' }))
  const back = await app.call(
    updateUser,
    { params: { id: eve.id }, body: { status: 'invited' } },
    { token: operator.token },
  )
  expect(back.status).toBe(200)
  expect(await attempt(app, eve.email, password)).toBe(401)
  await app.call(resendInvite, { body: { userId: eve.id } }, { token: admin.token })
  const { status, body } = await accept(app, await lastToken(app))
  expect([status, body.tokens]).toEqual([200, null])
})

test('a reset link does not survive a later invitation', async () => {
  await using scene = await inviteScene()
  const { app, admin } = scene
  const eve = await member(app, { email: 'eve@x.test', scope: 'partner', partnerId: admin.partnerId })
  const operator = await person(app, { email: 'root@x.test', scope: 'system' })
  await app.call(forgotPassword, { body: { email: eve.email } })
  const reset = { token: tokenIn(await mailOf(app, 'password-reset')), password: 'Another1Horse' }
  await app.call(updateUser, { params: { id: eve.id }, body: { status: 'invited' } }, { token: operator.token })
  await app.call(resendInvite, { body: { userId: eve.id } }, { token: admin.token })
  expect((await accept(app, await lastToken(app))).status).toBe(200)
  expect(codes(await app.call(resetPassword, { body: reset }))).toEqual([400, 'invalid_reset_token'])
})

test('a policy that requires a factor applies from the first request on', async () => {
  await using scene = await inviteScene()
  const { app, admin, invite } = scene
  await invite({ orgAccess: 'all' })
  setPartner(app, admin.partnerId, { settings: toJson({ security: { requireMfa: true } }) })
  const { body } = await accept(app, await lastToken(app))
  expect(body).toMatchObject({ mfaEnrollmentRequired: true, enrollUrl: '/auth/mfa/setup' })
  expect((await app.call(listUsers, {}, { token: body.tokens?.accessToken })).status).toBe(428)
})

test('a preview reveals nothing beyond the mail, and invalid tokens all get the same answer', async () => {
  await using scene = await inviteScene()
  const { app, invite } = scene
  await invite()
  const bodies = new Set<string>()
  for (const token of ['x', 'eve@x.test', (await lastToken(app)).slice(1)]) {
    const { body, status } = await app.call(previewInvite, { body: { token } })
    const { requestId: _, ...rest } = body
    bodies.add(JSON.stringify([status, rest]))
  }
  expect(bodies.size).toBe(1)
  expect(await mailsOf(app)).toHaveLength(1)
})
