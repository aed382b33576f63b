import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import type { Endpoint } from '../../shared/endpoint.ts'
import { holdings, siteOf } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import {
  bodyOf,
  forUsers,
  type Ids,
  idFieldsOf,
  isOfPlatform,
  isStream,
  namesTenantData,
  paramsOf,
  type Request,
  send,
} from './kit.ts'
import { idsOf, omnipotent, showFactor, twoCompanies, withoutLimits } from './stage.ts'

/** Ids of other tenants and ids that do not exist get exactly the same answer. */

/** Ids of the same form that do not exist. */
const unknownIds = (ids: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(ids).map(([kind, id]) => [kind, id.replace(/[0-9a-f]{8}-[0-9a-f-]{27}$/, randomUUID())]),
  )

/** The answer without the ids that were asked about. */
async function answer(
  app: TestApp,
  endpoint: Endpoint,
  request: Request,
  ids: Record<string, string>,
): Promise<string> {
  const { status, text } = await send(app, endpoint, request)
  const plain = Object.entries(ids).reduce((rest, [kind, id]) => rest.replaceAll(id, `<${kind}>`), text)
  return `${endpoint.name}: ${status} ${plain}`
}

/** Every way to name one of `ids` in a call that otherwise is about the caller's own rows. */
function waysToName(endpoint: Endpoint, own: Ids, ids: Ids): Request[] {
  const [params, body] = [paramsOf(endpoint, own), bodyOf(endpoint, own)]
  return [
    ...(namesTenantData(endpoint) ? [{ params: paramsOf(endpoint, ids), body }] : []),
    ...idFieldsOf(endpoint.body).map(({ field, kind, asSent }) => ({
      params,
      body: { ...(body as object), [field]: asSent(ids[kind]) },
    })),
    ...idFieldsOf(endpoint.query).map(({ field, kind }) => ({ params, body, query: { [field]: ids[kind] } })),
  ]
}

const inOrganization = [
  ...['org', 'site', 'bareSite', 'contact', 'device', 'agent', 'key', 'apiKey', 'group', 'olderGroup'],
  ...['provider', 'domain', 'command'],
]
const walked = forUsers.filter((endpoint) => !isStream(endpoint) && !isOfPlatform(endpoint))
const isSuccess = (told: string) => /: 2\d\d /.test(told)

/** Answers that reveal the existence of one of `theirs`, which the caller does not reach. */
async function toldApart(app: TestApp, token: string, own: Ids, theirs: Record<string, string>): Promise<string[]> {
  const nobodys = unknownIds(theirs)
  const found: string[] = []
  let refusals = 0
  for (const endpoint of walked) {
    const unknown = waysToName(endpoint, own, { ...own, ...nobodys })
    for (const [index, request] of waysToName(endpoint, own, { ...own, ...theirs }).entries()) {
      if (isDeepStrictEqual(request, unknown[index])) continue
      const given = await answer(app, endpoint, { ...request, token }, theirs)
      // The call ignored the id, and may succeed once only.
      if (isSuccess(given) && endpoint.method !== 'GET') continue
      const expected = await answer(app, endpoint, { ...(unknown[index] as Request), token }, nobodys)
      if (!isSuccess(given)) refusals++
      if (given !== expected) found.push(`${given} ${JSON.stringify(request)} instead of ${expected}`)
    }
  }
  expect(refusals).toBeGreaterThan(10)
  return found
}

test('ids of another company get the same answer as ids that do not exist', async () => {
  await using app = await testApp({ env: withoutLimits })
  const { own, ids, otherIds } = await twoCompanies(app)
  expect(await toldApart(app, own.admin.token, ids, otherIds)).toEqual([])
})

test('ids of an organization out of reach get the same answer as ids that do not exist', async () => {
  await using app = await testApp({ env: withoutLimits })
  const { own, ids } = await twoCompanies(app)
  const { admin } = own
  const sibling = await holdings(app, admin.token, 'Sibling', 'sibling-pc')
  const kinds = await idsOf(app, admin, sibling)
  const isInside = (kind: string) => inOrganization.includes(kind) || kind.startsWith('/')
  const theirs = Object.fromEntries(Object.entries(kinds).filter(([kind]) => isInside(kind)))
  const selected = {
    scope: 'partner' as const,
    partnerId: admin.partnerId,
    orgAccess: 'selected' as const,
    orgIds: [own.org.id],
  }
  for (const who of [
    await omnipotent(app, { email: 'selected@x.test', ...selected }),
    await omnipotent(app, { email: 'inside@x.test', scope: 'organization', orgId: own.org.id }),
  ]) {
    showFactor(app, who.id)
    expect(await toldApart(app, who.token, ids, theirs), who.email).toEqual([])
  }
})

test('ids of a site out of reach get the same answer as ids that do not exist', async () => {
  await using app = await testApp({ env: withoutLimits })
  const { own, ids } = await twoCompanies(app)
  const { admin, org } = own
  const [bareSite, site] = [await siteOf(app, admin.token, org.id, 'A'), await siteOf(app, admin.token, org.id, 'B')]
  const who = await omnipotent(app, {
    email: 'confined@x.test',
    scope: 'organization',
    orgId: org.id,
    siteIds: [ids.site, ids.bareSite],
  })
  showFactor(app, who.id)
  const theirs = { bareSite: bareSite.id, site: site.id }
  expect(await toldApart(app, who.token, ids, theirs)).toEqual([])
})
