import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createContact } from '../../shared/api/contacts.ts'
import { createDeviceGroup } from '../../shared/api/device-groups.ts'
import { mfaSetup, stepUpOptions } from '../../shared/api/mfa.ts'
import { createSite, listSites } from '../../shared/api/sites.ts'
import { forUsers, isStream, paramsOf, queryOf, send } from '../contract/kit.ts'
import { idsOf } from '../contract/stage.ts'
import { bootstrapped, company, password } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'

/** Deviations of public clients that the appliance tolerates. */

test('a focused organization and unknown keys in the query do not change the status of any GET', async () => {
  await using app = await testApp()
  const { admin, ...own } = await company(app)
  const ids = await idsOf(app, admin, own)
  const reads = forUsers.filter((endpoint) => endpoint.method === 'GET' && !isStream(endpoint))
  const queries: Record<string, string>[] = [{ orgId: own.org.id }, { nonce: '1', _: '' }]
  for (const endpoint of reads) {
    const request = { params: paramsOf(endpoint, ids), token: admin.token }
    const asked = queryOf(endpoint, ids)
    const plain = await send(app, endpoint, { ...request, query: asked })
    for (const query of queries) {
      const { status } = await send(app, endpoint, { ...request, query: { ...asked, ...query } })
      expect(status, `${endpoint.name} with ${JSON.stringify(query)}`).toBe(plain.status)
    }
  }
})

test('ids are accepted in capitals: in a path, a query and a body', async () => {
  await using app = await testApp()
  const { admin, ...own } = await company(app)
  const ids = await idsOf(app, admin, own)
  const capital = Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, id.toUpperCase()])) as typeof ids
  for (const endpoint of forUsers.filter(({ method, params }) => method === 'GET' && params)) {
    const asked = (of: typeof ids) =>
      send(app, endpoint, { params: paramsOf(endpoint, of), query: queryOf(endpoint, of), token: admin.token })
    const [small, large] = [await asked(ids), await asked(capital)]
    expect([large.status, large.body], endpoint.name).toEqual([small.status, small.body])
  }
  const { token } = admin
  const { body: sites } = await app.call(listSites, { query: { orgId: capital.org } }, { token })
  expect(sites.pagination.total).toBe(2)
  const { body: site } = await app.call(createSite, { body: { orgId: capital.org, name: 'New' } }, { token })
  expect(site.orgId).toBe(ids.org)
  const pinned = { params: { id: capital.org }, body: { name: 'Bo', siteId: capital.site } }
  expect((await app.call(createContact, pinned, { token })).body.data).toMatchObject({ siteId: ids.site })
  const group = { orgId: capital.org, name: 'Few', deviceIds: [capital.device] }
  expect((await app.call(createDeviceGroup, { body: group }, { token })).body.data).toMatchObject({ deviceCount: 1 })
})

test('a sign-in accepts capitals and blanks in the address, unknown keys and a trailing slash', async () => {
  await using app = await testApp()
  const { email } = await bootstrapped(app)
  const payload = JSON.stringify({ email: ` ${email.toUpperCase()} `, password, rememberMe: true })
  for (const url of [`/api/v1/auth/login?orgId=${randomUUID()}`, '/api/v1/auth/login/']) {
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    expect((await app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(200)
  }
})

test.each([
  ['no body', undefined],
  ['an empty body', ''],
  ['null', 'null'],
  ['an empty object', '{}'],
  ['keys nobody knows', '{"deviceName":"x"}'],
])('%s is accepted by endpoints that need no body', async (_, payload) => {
  await using app = await testApp()
  const { token } = await bootstrapped(app)
  const say = (path: string) =>
    app.inject({
      method: 'POST',
      url: `/api/v1${path}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(payload !== undefined && { payload }),
    })
  expect((await say(mfaSetup.path)).statusCode).toBe(200)
  expect((await say(stepUpOptions.path)).json().code).toBe('no_passkey')
})
