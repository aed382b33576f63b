import { expect, test } from 'vitest'
import { readAvatar } from '../../shared/api/avatars.ts'
import { deleteOrganization } from '../../shared/api/organizations.ts'
import { search } from '../../shared/api/search.ts'
import { startSsoLink } from '../../shared/api/sso-links.ts'
import { cancelTask } from '../../shared/api/system.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { organizationOf, person, siteOf } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'
import {
  bodyOf,
  forAgents,
  forUsers,
  type Ids,
  idFieldsOf,
  isAboveCompanies,
  isOfPlatform,
  isStream,
  namesTenantData,
  paramsOf,
  queryOf,
  send,
} from './kit.ts'
import { callerOf, contents, keepSignedIn, showFactor, twoCompanies } from './stage.ts'

const withIds = forUsers.filter(namesTenantData)
/** 403 for sites, whether they exist or not, and for endpoints of operators and platform admins; 404 otherwise. */
const statusFor = (endpoint: Endpoint) =>
  endpoint.path.startsWith('/orgs/sites') || isOfPlatform(endpoint) || isAboveCompanies(endpoint) ? 403 : 404
const mentions = (text: string, ids: Ids) => Object.values(ids).filter((id) => text.includes(id))

/** Every way to name a tenant in a query; some endpoints look at an organization only with `ownerScope`. */
const queriesNaming = (endpoint: Endpoint, ids: Ids): Record<string, string>[] =>
  idFieldsOf(endpoint.query).flatMap(({ field, kind }) => [
    { [field]: ids[kind] },
    ...(kind === 'org' ? [{ [field]: ids.org, ownerScope: 'organization' }] : []),
  ])

/**
 * Deleting something deletes what is in it, so what is in it comes first and the organization last. A canceled task is
 * gone, too.
 */
const ending = (endpoint: Endpoint) =>
  endpoint === deleteOrganization ? 2 : endpoint.method === 'DELETE' || endpoint === cancelTask ? 1 : 0
const depth = ({ path }: Endpoint) => path.split('/').length
const deletesLast = (a: Endpoint, b: Endpoint) => ending(a) - ending(b) || depth(b) - depth(a)

test('no call of the walk is refused to the owner of the ids, so that a refusal means something', async () => {
  await using app = await testApp()
  const { own, operator, ids } = await twoCompanies(app)
  const stay = keepSignedIn(app, own.admin.userId)
  for (const endpoint of withIds.filter((one) => !isStream(one)).toSorted(deletesLast)) {
    const token = callerOf(endpoint, { own, operator })
    const request = { params: paramsOf(endpoint, ids), body: bodyOf(endpoint, ids), token }
    const { status, body } = await send(app, endpoint, request)
    stay()
    expect([401, 403, 404], `${endpoint.name}: ${JSON.stringify(body)}`).not.toContain(status)
    expect(body?.code, endpoint.name).not.toBe('validation_failed')
  }
})

test('ids of another company are refused by every endpoint, and change nothing', async () => {
  await using app = await testApp()
  const { other, ids } = await twoCompanies(app)
  const before = await contents(app)
  for (const endpoint of withIds)
    for (const query of [{}, ...queriesNaming(endpoint, ids)]) {
      const request = { params: paramsOf(endpoint, ids), query, body: bodyOf(endpoint, ids), token: other.admin.token }
      const { status, text } = await send(app, endpoint, request)
      expect(status, `${endpoint.name} ${JSON.stringify(query)}: ${text}`).toBe(statusFor(endpoint))
      expect(mentions(text, ids), endpoint.name).toEqual([])
    }
  expect(await contents(app)).toEqual(before)
})

test('the id of another company below an own id is a 404', async () => {
  await using app = await testApp()
  const { own, ids, otherIds } = await twoCompanies(app)
  const before = await contents(app)
  const nested = withIds.filter(({ path }) => path.includes(':commandId'))
  expect(nested.length).toBeGreaterThan(0)
  for (const endpoint of nested) {
    const params = paramsOf(endpoint, { ...ids, command: otherIds.command })
    const { status } = await send(app, endpoint, { params, body: bodyOf(endpoint, ids), token: own.admin.token })
    expect(status, endpoint.name).toBe(404)
  }
  expect(await contents(app)).toEqual(before)
})

test('a body that names an organization, site or partner of another company is refused', async () => {
  await using app = await testApp()
  const { own, ids, otherIds } = await twoCompanies(app)
  const before = await contents(app)
  let tried = 0
  for (const endpoint of forUsers)
    for (const { field, kind, asSent } of idFieldsOf(endpoint.body)) {
      const body = { ...(bodyOf(endpoint, ids) as object), [field]: asSent(otherIds[kind]) }
      const params = paramsOf(endpoint, ids)
      const { status, text } = await send(app, endpoint, { params, body, token: own.admin.token })
      expect([400, 403, 404], `${endpoint.name} with ${field}: ${status} ${text}`).toContain(status)
      tried++
    }
  expect(tried).toBeGreaterThan(0)
  expect(await contents(app)).toEqual(before)
})

test('no query finds rows of another company', async () => {
  await using app = await testApp()
  const { own, other, ids, otherIds } = await twoCompanies(app)
  for (const endpoint of forUsers.filter((one) => one.method === 'GET' && !isStream(one))) {
    // An export writes its query into the audit log.
    if (namesTenantData(endpoint) || endpoint.audit) continue
    for (const query of [{}, ...queriesNaming(endpoint, ids)]) {
      const asked = { ...(endpoint === search && queryOf(endpoint, ids)), ...query }
      const { text } = await send(app, endpoint, { query: asked, token: other.admin.token })
      expect(mentions(text, ids), `${endpoint.name} ${JSON.stringify(query)}`).toEqual([])
      expect(text, endpoint.name).not.toContain(own.org.name)
      expect(text, endpoint.name).not.toContain('"pc-1"')
    }
    if (isOfPlatform(endpoint)) continue
    const { text } = await send(app, endpoint, { token: own.admin.token })
    expect(mentions(text, otherIds), endpoint.name).toEqual([])
  }
})

test('within one company, users do not get past their organizations and sites', async () => {
  await using app = await testApp()
  const { own, ids } = await twoCompanies(app)
  const sibling = await organizationOf(app, own.admin.token, 'Sibling')
  const elsewhere = await siteOf(app, own.admin.token, own.org.id, 'Elsewhere')
  const partner = { scope: 'partner', partnerId: own.admin.partnerId } as const
  const people = [
    await person(app, { email: 'sibling@x.test', scope: 'organization', orgId: sibling.id }),
    await person(app, { email: 'site@x.test', scope: 'organization', orgId: own.org.id, siteIds: [elsewhere.id] }),
    await person(app, { email: 'nosite@x.test', scope: 'organization', orgId: own.org.id, siteIds: [] }),
    await person(app, { email: 'sel@x.test', ...partner, orgAccess: 'selected', orgIds: [sibling.id] }),
    await person(app, { email: 'none@x.test', ...partner, orgAccess: 'none' }),
  ]
  for (const { id } of people) showFactor(app, id)
  const before = await contents(app)
  const { org: _, partner: __, staffProvider: ___, ...hidden } = ids
  // Members of an organization may ask about it; test/flows/contacts.test.ts tests the answers.
  const isTheirs = (endpoint: Endpoint, email: string) =>
    (endpoint.path.startsWith('/orgs/organizations/:id') &&
      endpoint.access.who === 'user' &&
      endpoint.access.scopes.includes('organization') &&
      ['site@x.test', 'nosite@x.test'].includes(email)) ||
    // Pictures of all colleagues in the company (§4), see test/flows/avatars.test.ts.
    (endpoint === readAvatar && ['sel@x.test', 'none@x.test'].includes(email)) ||
    // Accounts of all who work in the company may be connected with its provider.
    (endpoint === startSsoLink && ['sel@x.test', 'none@x.test'].includes(email))
  const lists = forUsers.filter(
    (one) => one.method === 'GET' && one.audit === null && !isStream(one) && !namesTenantData(one),
  )
  // The log is about the company and whole organizations; test/tenancy compares it.
  const isTheirLog = ({ path }: Endpoint, email: string) => path.startsWith('/audit-logs') && email !== 'sibling@x.test'
  for (const { email, token } of people) {
    for (const endpoint of withIds.filter((one) => !isTheirs(one, email))) {
      const request = { params: paramsOf(endpoint, ids), body: bodyOf(endpoint, ids), token }
      const { status, text } = await send(app, endpoint, request)
      expect([403, 404], `${endpoint.name} as ${email}: ${status} ${text}`).toContain(status)
    }
    for (const endpoint of lists.filter((one) => !isTheirLog(one, email))) {
      const query = endpoint === search ? queryOf(endpoint, ids) : {}
      const { text } = await send(app, endpoint, { query, token })
      expect(
        Object.values(hidden).filter((id) => text.includes(id)),
        `${endpoint.name} as ${email}`,
      ).toEqual([])
    }
  }
  expect(await contents(app)).toEqual(before)
})

test('a device token does nothing in the name of another device', async () => {
  await using app = await testApp()
  const { other, ids, otherIds } = await twoCompanies(app)
  const before = await contents(app)
  for (const endpoint of forAgents) {
    const request = { body: bodyOf(endpoint, ids), token: other.device.authToken }
    const taken = await send(app, endpoint, { ...request, params: paramsOf(endpoint, ids) })
    expect(taken.status, endpoint.name).toBe(401)
    if (!endpoint.path.includes(':commandId')) continue
    const params = paramsOf(endpoint, { ...otherIds, command: ids.command })
    expect((await send(app, endpoint, { ...request, params })).status, endpoint.name).toBe(404)
  }
  expect(await contents(app)).toEqual(before)
})
