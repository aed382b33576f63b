import { expect, test } from 'vitest'
import { listDevices } from '../../shared/api/devices.ts'
import { readLoginBranding, replaceLoginBranding } from '../../shared/api/login-branding.ts'
import { createOrganization, listOrganizations, orderOrganizations } from '../../shared/api/organizations.ts'
import { ipAllowlistStatus, previewSecurity, readOwnPartner, updateOwnPartner } from '../../shared/api/partners.ts'
import { inviteUser, listUsers } from '../../shared/api/people.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { createPsaConnection } from '../../shared/api/psa.ts'
import { createRole, listRoles } from '../../shared/api/roles.ts'
import { listSites } from '../../shared/api/sites.ts'
import { createSsoProvider } from '../../shared/api/sso-providers.ts'
import type { Endpoint, InputOf } from '../../shared/endpoint.ts'
import { showFactor } from '../contract/stage.ts'
import { company, organizationOf, person } from '../helpers/factories.ts'
import { auditOf } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

/** Members of a company with access to none of its organizations manage only its settings. */

async function scene() {
  const app = await testApp()
  const { admin, org } = await company(app)
  const second = await organizationOf(app, admin.token, 'Aachen')
  await app.call(orderOrganizations, { body: { orderedIds: [second.id, org.id] } }, { token: admin.token })
  const who = { scope: 'partner', partnerId: admin.partnerId } as const
  const nora = await person(app, { ...who, email: 'nora@acme.test', orgAccess: 'none' })
  const as = (token: string) => ({
    call: <E extends Endpoint>(endpoint: E, input?: InputOf<E>) => app.call(endpoint, input, { token }),
  })
  const refusal = async (call: Promise<{ status: number; body: { error?: string } }>) => {
    const { status, body } = await call
    return [status, body.error]
  }
  return { app, admin, org, second, who, nora, ...as(nora.token), as, refusal }
}

test('with the permission they read and change the settings of the company', async () => {
  const { app, admin, nora, call } = await scene()
  await using _ = app
  expect((await call(usersMe)).body).toMatchObject({ orgAccess: 'none', canManagePartnerWide: false })
  expect((await call(readOwnPartner)).body).toMatchObject({ id: admin.partnerId, name: 'Acme' })
  expect((await call(ipAllowlistStatus)).status).toBe(200)
  expect((await call(readLoginBranding)).status).toBe(200)
  expect((await call(previewSecurity, { body: { requireMfa: true } })).body).toMatchObject({
    withoutFactor: 2,
    namesWithoutFactor: [],
  })
  const body = {
    name: 'Acme & Sons',
    billingEmail: 'books@acme.test',
    serviceManagementMode: 'off' as const,
    settings: { timezone: 'Europe/Berlin', security: { mfaEnrollmentGraceDays: 7 } },
  }
  const { status, body: after } = await call(updateOwnPartner, { body })
  expect([status, after]).toMatchObject([200, body])
  expect((await call(readOwnPartner)).body).toEqual(after)
  expect(auditOf(app, 'partner.settings.update')).toMatchObject([{ actor_id: nora.id, partner_id: admin.partnerId }])
})

test('without the permission they change nothing', async () => {
  const { app, who, as, refusal } = await scene()
  await using _ = app
  const rita = await person(app, { ...who, email: 'rita@acme.test', orgAccess: 'none', role: 'Partner Viewer' })
  const before = app.rowCounts()
  const { call } = as(rita.token)
  expect(await refusal(call(updateOwnPartner, { body: { name: 'x' } }))).toEqual([403, 'Permission denied'])
  expect(await refusal(call(previewSecurity, { body: {} }))).toEqual([403, 'Permission denied'])
  expect((await call(readOwnPartner)).body.name).toBe('Acme')
  expect(app.rowCounts()).toEqual(before)
  expect(auditOf(app, 'partner.settings.update')).toEqual([])
})

test('organizations, their order, people, roles and policies for all organizations are refused to them', async () => {
  const { app, org, second, nora, call, refusal } = await scene()
  await using _ = app
  showFactor(app, nora.id)
  const before = app.rowCounts()
  const orderedIds = [org.id, second.id]
  const full = [403, 'Full partner access required']
  expect(await refusal(call(orderOrganizations, { body: { orderedIds } }))).toEqual(full)
  const inSettings = { settings: { organizationOrder: orderedIds }, name: 'x' }
  expect(await refusal(call(updateOwnPartner, { body: inSettings }))).toEqual(full)
  const body = { name: 'New', slug: 'new' }
  expect(await refusal(call(createOrganization, { body }))).toEqual([403, 'Insufficient permissions'])

  const people = [403, 'Full partner organization access required']
  expect(await refusal(call(listUsers, { query: {} }))).toEqual(people)
  expect(await refusal(call(listRoles, { query: {} }))).toEqual(people)
  expect(await refusal(call(createRole, { query: {}, body: { name: 'R', permissions: [] } }))).toEqual(people)
  const invited = { email: 'eve@acme.test', name: 'Eve', roleId: nora.id }
  expect(await refusal(call(inviteUser, { query: {}, body: invited }))).toEqual(people)

  const policy = [403, 'Modifying a partner-wide policy requires full partner org access (orgAccess must be "all")']
  expect(await refusal(call(replaceLoginBranding, { body: { headline: 'Hi' } }))).toEqual(policy)
  const provider = { ownerScope: 'partner', type: 'oidc', name: 'Idp', issuer: 'https://idp.test' } as const
  expect(await refusal(call(createSsoProvider, { body: provider }))).toEqual(policy)
  const credentials = { email: 'a@acme.test', apiToken: 't', baseUrl: 'https://acme.zendesk.test' }
  const connection = { ownerScope: 'partner', provider: 'zendesk', name: 'Desk', credentials } as const
  expect(await refusal(call(createPsaConnection, { body: connection }))).toEqual(policy)
  expect(app.rowCounts()).toEqual(before)
  expect((await call(readOwnPartner)).body.name).toBe('Acme')
})

test('no answer names an organization to them, and the order shows each member only visible ones', async () => {
  const { app, admin, org, second, who, call, as } = await scene()
  await using _ = app
  for (const list of [listOrganizations, listSites, listDevices])
    expect((await call(list, { query: {} } as never)).body).toMatchObject({ data: [] })
  const orderOf = async ({ call: ask }: Pick<ReturnType<typeof as>, 'call'>) =>
    (await ask(readOwnPartner)).body.settings.organizationOrder
  expect(await orderOf({ call })).toBeUndefined()
  expect((await call(updateOwnPartner, { body: { name: 'Acme' } })).body.settings).toEqual({})
  const sam = await person(app, { ...who, email: 'sam@acme.test', orgAccess: 'selected', orgIds: [org.id] })
  expect(await orderOf(as(sam.token))).toEqual([org.id])
  expect(await orderOf(as(admin.token))).toEqual([second.id, org.id])
})
