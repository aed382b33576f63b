import { expect, test } from 'vitest'
import type { Endpoint } from '../../shared/endpoint.ts'
import { organizationOf, person, siteOf } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'
import {
  bodyOf,
  contents,
  forAgents,
  forUsers,
  type Ids,
  idFieldsOf,
  isStream,
  namesTenantData,
  paramsOf,
  send,
  twoCompanies,
} from './kit.ts'

const withIds = forUsers.filter(namesTenantData)
/** The reference tells a site that is missing (404) from one out of reach (403). */
const statusFor = (path: string) => (path.startsWith('/orgs/sites') ? 403 : 404)
const mentions = (text: string, ids: Ids) => Object.values(ids).filter((id) => text.includes(id))

const deletesLast = (a: Endpoint, b: Endpoint) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE')

test('the walk asks for things their owner gets, so that a refusal says something', async () => {
  await using app = await testApp()
  const { own, ids } = await twoCompanies(app)
  for (const endpoint of withIds.filter((one) => !isStream(one)).toSorted(deletesLast)) {
    const request = { params: paramsOf(endpoint, ids), body: bodyOf(endpoint, ids), token: own.admin.token }
    const { status, body } = await send(app, endpoint, request)
    expect([403, 404], `${endpoint.name}: ${JSON.stringify(body)}`).not.toContain(status)
    expect(body?.code, endpoint.name).not.toBe('validation_failed')
  }
})

test("another company's things do not exist, and trying changes nothing", async () => {
  await using app = await testApp()
  const { other, ids } = await twoCompanies(app)
  const before = await contents(app)
  for (const endpoint of withIds) {
    const { status, text } = await send(app, endpoint, {
      params: paramsOf(endpoint, ids),
      body: bodyOf(endpoint, ids),
      token: other.admin.token,
    })
    expect(status, `${endpoint.name}: ${text}`).toBe(statusFor(endpoint.path))
    expect(mentions(text, ids), endpoint.name).toEqual([])
  }
  expect(await contents(app)).toEqual(before)
})

test("a foreign id below one's own is not found either", async () => {
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

test("no body may name another company's organization, site or partner", async () => {
  await using app = await testApp()
  const { own, ids, otherIds } = await twoCompanies(app)
  const before = await contents(app)
  let tried = 0
  for (const endpoint of forUsers)
    for (const { field, kind } of idFieldsOf(endpoint.body)) {
      const body = { ...(bodyOf(endpoint, ids) as object), [field]: otherIds[kind] }
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
    if (namesTenantData(endpoint)) continue
    const queries: Record<string, string>[] = [{}]
    for (const { field, kind } of idFieldsOf(endpoint.query)) queries.push({ [field]: ids[kind] })
    for (const query of queries) {
      const { text } = await send(app, endpoint, { query, token: other.admin.token })
      expect(mentions(text, ids), `${endpoint.name} ${JSON.stringify(query)}`).toEqual([])
      expect(text, endpoint.name).not.toContain(own.org.name)
      expect(text, endpoint.name).not.toContain('"pc-1"')
    }
    const { text } = await send(app, endpoint, { token: own.admin.token })
    expect(mentions(text, otherIds), endpoint.name).toEqual([])
  }
})

test('inside one company, nobody reaches past their organizations and sites', async () => {
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
  const before = await contents(app)
  const hidden = [ids.device, ids.agent, ids.key, ids.command, ids.site]
  for (const { email, token } of people) {
    for (const endpoint of withIds) {
      const request = { params: paramsOf(endpoint, ids), body: bodyOf(endpoint, ids), token }
      const { status, text } = await send(app, endpoint, request)
      expect([403, 404], `${endpoint.name} as ${email}: ${status} ${text}`).toContain(status)
    }
    for (const endpoint of forUsers.filter((one) => one.method === 'GET' && !isStream(one) && !namesTenantData(one))) {
      const { text } = await send(app, endpoint, { token })
      expect(
        hidden.filter((id) => text.includes(id)),
        `${endpoint.name} as ${email}`,
      ).toEqual([])
    }
  }
  expect(await contents(app)).toEqual(before)
})

test("one device's token does nothing in the name of another device", async () => {
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
