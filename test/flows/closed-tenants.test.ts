import { randomUUIDv7 } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { toJson } from '../../server/lib/json.ts'
import { isoNow } from '../../server/platform/clock.ts'
import { authMe, login, logout } from '../../shared/api/auth.ts'
import { enterMembership, listMemberships } from '../../shared/api/memberships.ts'
import { partnerStanding, removePartner } from '../../shared/api/partners.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { listSites } from '../../shared/api/sites.ts'
import { forUsers, send } from '../contract/kit.ts'
import { contents } from '../contract/stage.ts'
import { member, otherCompany, password, person } from '../helpers/factories.ts'
import { listening } from '../helpers/fake-device.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { setPartner } from '../helpers/rows.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { refreshWith, signedInJar } from './kit.ts'
import { leaving } from './offboarding-kit.ts'

/** The answers to members of a company or an organization that was closed. */

const words = { statusMessage: 'Pay first', statusActionUrl: 'https://pay.test', statusActionLabel: 'Pay' }
const env = { HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60' }

async function scene() {
  const one = await leaving({ env })
  const { app, admin, org } = one
  setPartner(app, admin.partnerId, { settings: toJson(words) })
  await member(app, { email: 'eve@x.test', scope: 'organization', orgId: org.id })
  const eve = await signedInJar(app, 'eve@x.test', password)
  const ask = async (token: string, what: typeof listSites | typeof usersMe | typeof partnerStanding = listSites) => {
    const { status, body } = await app.call(what, {}, { token })
    return [status, body.code ?? null, body.error ?? null]
  }
  return { ...one, eve, ask }
}

test.each(['suspended', 'churned', 'offboarding'] as const)(
  'members of a company that becomes %s get 403 PARTNER_INACTIVE with its message on every guarded route',
  async (status) => {
    await using one = await scene()
    const { app, admin, eve, patchPartner, ask } = one
    expect((await patchPartner(status)).status).toBe(200)
    for (const token of [admin.token, eve.token]) {
      const refused = await app.call(listSites, {}, { token })
      expect([refused.status, refused.body]).toEqual([
        403,
        {
          error: 'Account inactive',
          message: 'Pay first',
          code: 'PARTNER_INACTIVE',
          status,
          actionUrl: 'https://pay.test',
          actionLabel: 'Pay',
        },
      ])
      const standing = await app.call(partnerStanding, {}, { token })
      expect([standing.status, standing.body]).toEqual([200, { ...standing.body, status, ...words }])
      expect(await ask(token, usersMe)).toEqual([403, 'PARTNER_INACTIVE', 'Tenant is not active'])
    }
    expect((await refreshWith(app, eve.jar)).status, 'the session has ended').toBe(401)
    const generic = await app.call(login, { body: { email: 'nobody@x.test', password } })
    const signIn = await app.call(login, { body: { email: 'eve@x.test', password } })
    expect([signIn.status, signIn.body]).toEqual([401, generic.body])
    await patchPartner('active')
    for (const what of [listSites, partnerStanding])
      expect(await ask(eve.token, what), 'it stays ended').toEqual([401, 'invalid_token', expect.any(String)])
    expect((await signedInJar(app, 'eve@x.test', password)).token).toBeTruthy()
  },
)

test('members of a suspended company can only read its status, list and enter memberships, and sign out', async () => {
  await using one = await scene()
  const { app, eve, patchPartner } = one
  await patchPartner('suspended')
  const isOpen = ({ access }: (typeof forUsers)[number]) => access.who === 'user' && access.evenIf?.includes('closed')
  expect(forUsers.filter(isOpen).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['auth.logout', 'partners.standing', listMemberships.name, enterMembership.name]),
  )
  expect(forUsers.filter(isOpen)).toHaveLength(4)
  const before = await contents(app)
  for (const endpoint of forUsers.filter((each) => !isOpen(each))) {
    const { status, body } = await send(app, endpoint, { body: {}, token: eve.token })
    expect([status, body?.code], endpoint.name).toEqual([403, 'PARTNER_INACTIVE'])
  }
  expect(await contents(app)).toEqual(before)
  expect((await app.call(logout, {}, { token: eve.token })).status).toBe(200)
  expect((await app.call(partnerStanding, {}, { token: eve.token })).status).toBe(401)
})

test('members of a deleted company get PARTNER_NOT_FOUND', async () => {
  await using one = await scene()
  const { app, admin, operator, eve, ask } = one
  await app.call(removePartner, { params: { id: admin.partnerId } }, { token: operator.token })
  for (const token of [admin.token, eve.token])
    for (const what of [listSites, partnerStanding]) expect((await ask(token, what))[1]).toBe('PARTNER_NOT_FOUND')
})

test.each(['suspended', 'churned', 'offboarding'] as const)(
  'members of an organization that becomes %s get 403 TENANT_INACTIVE, and its company continues',
  async (status) => {
    await using one = await scene()
    const { app, admin, eve, patch, ask } = one
    expect((await patch(status)).status).toBe(200)
    for (const what of [listSites, partnerStanding])
      expect(await ask(eve.token, what)).toEqual([403, 'TENANT_INACTIVE', 'Tenant is not active'])
    expect((await ask(eve.token, usersMe))[0]).toBe(401)
    expect((await refreshWith(app, eve.jar)).status).toBe(401)
    expect((await ask(admin.token))[0]).toBe(200)
    expect((await ask(admin.token, partnerStanding))[0]).toBe(200)
    await patch('active')
    expect((await ask(eve.token))[0], 'it stays ended').toBe(401)
  },
)

test('suspending a company ends an open stream with `changed`', async () => {
  await using one = await scene()
  const { app, admin, patchPartner } = one
  using stream = await liveStream(await listening(app), admin.token)
  await patchPartner('suspended')
  expect(await stream.event(({ type }) => type === 'goodbye')).toEqual({ type: 'goodbye', reason: 'changed' })
})

/** Eve also belongs to an organization of another company. */
async function elsewhere() {
  const one = await scene()
  const { app, eve } = one
  const other = await otherCompany(app)
  const user = app.db.first(q.selectFrom('users').select('id').where('email', '=', 'eve@x.test'))
  app.db.run(
    q.insertInto('organization_users').values({
      id: randomUUIDv7(),
      org_id: other.org.id,
      user_id: user?.id as string,
      role_id: findBuiltInRole(app.db, 'Org Viewer', 'organization') as string,
      created_at: isoNow(app.clock),
    }),
  )
  const places = async (token = eve.token) => (await app.call(listMemberships, {}, { token })).body.data
  const enter = async (orgId: string, token = eve.token) => {
    const id = (await places(token)).find((place) => place.orgId === orgId)?.id ?? ''
    return app.call(enterMembership, { params: { id } }, { token })
  }
  return { ...one, other, places, enter }
}
const orgOf = async (app: TestApp, token: string | undefined) => (await app.call(usersMe, {}, { token })).body.orgId

test.each(['company', 'organization'] as const)(
  'a member of a closed %s can enter another membership',
  async (what) => {
    await using one = await elsewhere()
    const { app, org, other, eve, patch, patchPartner, ask, places, enter } = one
    await (what === 'company' ? patchPartner('suspended') : patch('suspended'))
    // From a closed organization a refresh moves on by itself.
    expect((await ask(eve.token))[1]).toBe(what === 'company' ? 'PARTNER_INACTIVE' : 'invalid_token')
    expect((await places()).map(({ orgId, isUsable, isCurrent }) => [orgId, isUsable, isCurrent])).toEqual([
      [org.id, false, true],
      [other.org.id, true, false],
    ])
    expect((await enter(org.id)).body.code).toBe('membership_unusable')
    const entered = await enter(other.org.id)
    expect(entered.status).toBe(200)
    expect(await orgOf(app, entered.body.tokens.accessToken)).toBe(other.org.id)
    expect((await ask(eve.token))[0], 'not back to where it is closed').not.toBe(200)
    const refreshed = await refreshWith(app, eve.jar)
    expect(await orgOf(app, refreshed.body.tokens?.accessToken)).toBe(other.org.id)
  },
)

test('a session in another tenant goes on when a company of its owner closes', async () => {
  await using one = await elsewhere()
  const { app, other, patchPartner, enter } = one
  const entered = await enter(other.org.id)
  const { accessToken } = entered.body.tokens
  await patchPartner('offboarding')
  expect((await app.call(authMe, {}, { token: accessToken })).status).toBe(200)
  expect((await app.call(login, { body: { email: 'eve@x.test', password } })).status).toBe(200)
})

test('in a closed company removed memberships, disabled accounts and old sessions stay refused', async () => {
  await using one = await elsewhere()
  const { app, admin, org, eve, patchPartner, ask } = one
  const outsider = await person(app, { email: 'max@x.test', scope: 'organization', orgId: org.id })
  await patchPartner('suspended')
  app.db.run(q.deleteFrom('organization_users').where('user_id', '=', outsider.id))
  expect(await ask(outsider.token, partnerStanding)).toEqual([401, 'invalid_token', expect.any(String)])
  app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('email', '=', 'eve@x.test'))
  expect((await ask(eve.token, partnerStanding))[0]).toBe(403)
  app.db.run(q.updateTable('users').set({ auth_epoch: 2 }).where('id', '=', admin.userId))
  expect((await ask(admin.token, partnerStanding))[0]).toBe(401)
})

test('a refresh enters no tenant that does not accept the factor of the session', async () => {
  await using one = await elsewhere()
  const { app, other, eve, patch } = one
  app.db.run(q.updateTable('sessions').set({ mfa_source: 'totp', mfa_at: isoNow(app.clock) }))
  const only = (methods: object) => toJson({ security: { allowedMfaMethods: methods } })
  setPartner(app, other.partnerId, { settings: only({ totp: false, sms: true }) })
  await patch('suspended')
  const before = app.rowCounts()
  const refused = await refreshWith(app, eve.jar)
  expect([refused.status, refused.body.code]).toEqual([401, 'invalid_refresh_token'])
  expect(app.rowCounts()).toEqual(before)
  setPartner(app, other.partnerId, { settings: only({ totp: true, sms: true }) })
  expect(await orgOf(app, (await refreshWith(app, eve.jar)).body.tokens?.accessToken)).toBe(other.org.id)
})
