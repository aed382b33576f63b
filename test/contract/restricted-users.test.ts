import { expect, test } from 'vitest'
import { toJson } from '../../server/lib/json.ts'
import { logout } from '../../shared/api/auth.ts'
import type { ClosingReason, Endpoint } from '../../shared/endpoint.ts'
import { company } from '../helpers/factories.ts'
import { auditOf, setPartner } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'
import { forUsers, send } from './kit.ts'
import { contents } from './stage.ts'

const isOpen = ({ access }: Endpoint, standing: ClosingReason) =>
  access.who === 'user' && access.evenIf?.includes(standing) === true
const named = (endpoints: readonly Endpoint[]) => endpoints.map(({ name }) => name)

const mustEnrol = toJson({ security: { requireMfa: true } })
const logoutLast = (a: Endpoint, b: Endpoint) => Number(a === logout) - Number(b === logout)

/** Of people only: `/agents` is for devices, which carry no user's bearer. */
const guardSkips = /^\/(auth\/|config$|users\/me(\/|$)|partner\/me(\/|$))/
/** §5.4: exact paths, and what lies below the three collections. */
const reachableUnenrolled = /^(\/auth\/logout|\/users\/me|\/auth\/(mfa|phone|passkeys)\/.+)$/

test('the endpoints open to users of an inactive company are exactly those of the reference', () => {
  const open = named(forUsers.filter((endpoint) => isOpen(endpoint, 'partner-inactive')))
  expect(open).toEqual(named(forUsers.filter(({ path }) => guardSkips.test(path))))
  expect(open).toEqual(expect.arrayContaining(['auth.me', 'users.me', 'partners.standing']))
})

test('the endpoints open to users who must enroll a factor are exactly those of the reference', () => {
  const open = named(forUsers.filter((endpoint) => isOpen(endpoint, 'unenrolled')))
  expect(open).toEqual(named(forUsers.filter(({ path }) => reachableUnenrolled.test(path))))
  expect(open).toEqual(expect.arrayContaining(['auth.logout', 'users.me', 'users.update-me', 'auth.mfa-setup']))
  for (const closed of ['auth.me', 'auth.passkeys', 'auth.change-password', 'auth.sessions'])
    expect(open).not.toContain(closed)
})

test('every other endpoint answers 403 PARTNER_INACTIVE to users of an inactive company, and changes nothing', async () => {
  await using app = await testApp()
  const { admin } = await company(app)
  setPartner(app, admin.partnerId, { status: 'pending' })
  const before = await contents(app)
  for (const endpoint of forUsers.filter((one) => !isOpen(one, 'partner-inactive'))) {
    const { status, body } = await send(app, endpoint, { body: {}, token: admin.token })
    expect([status, body?.code], endpoint.name).toEqual([403, 'PARTNER_INACTIVE'])
  }
  expect(await contents(app)).toEqual(before)
})

test('every other endpoint answers 428 to users who must enroll a factor, and writes only an audit event', async () => {
  await using app = await testApp()
  const { admin } = await company(app)
  setPartner(app, admin.partnerId, { settings: mustEnrol })
  const { audit_logs: _, audit_chains: _chains, ...before } = await contents(app)
  const closed = forUsers.filter((one) => !isOpen(one, 'unenrolled'))
  for (const endpoint of closed) {
    const { status, body } = await send(app, endpoint, { body: {}, token: admin.token })
    expect([status, body], endpoint.name).toMatchObject([
      428,
      { error: 'mfa_enrollment_required', enrollUrl: '/auth/mfa/setup' },
    ])
  }
  const { audit_logs: __, audit_chains: __chains, ...after } = await contents(app)
  expect(after).toEqual(before)
  const told = auditOf(app, 'auth.mfa.enrollment.required')
  expect(told, 'once for each address').toHaveLength(new Set(closed.map(({ path }) => path)).size)
  expect(told[0]).toMatchObject({ result: 'denied', details: { scope: 'partner', source: 'settings' } })
})

test.each([
  ['partner-inactive', { status: 'pending' }],
  ['unenrolled', { settings: mustEnrol }],
] as const)('the endpoints open to %s users do answer', async (standing, values) => {
  await using app = await testApp()
  const { admin } = await company(app)
  setPartner(app, admin.partnerId, values)
  for (const endpoint of forUsers.filter((one) => isOpen(one, standing)).toSorted(logoutLast)) {
    const { status, body } = await send(app, endpoint, { body: {}, token: admin.token })
    expect([401, 428], `${endpoint.name}: ${body?.code}`).not.toContain(status)
    expect(body?.code, endpoint.name).not.toBe('PARTNER_INACTIVE')
  }
})
