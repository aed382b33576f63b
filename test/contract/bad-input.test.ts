import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { allEndpoints } from '../../shared/api/index.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { testApp } from '../helpers/test-app.ts'
import { times } from '../helpers/thorough.ts'
import { fieldsOf, placesIn, replaced } from './json-paths.ts'
import { type Ids, isStream, paramsOf, type Request, send } from './kit.ts'
import { isFreeJson, sample, shapeOf } from './samples.ts'
import { callerOf, contents, keepSignedIn, twoCompanies, withoutLimits } from './stage.ts'

const withBody = allEndpoints.filter(({ body }) => body)
/** Reports of devices are taken as far as they can be read, so a bad field is dropped instead of refused. */
const isLenient = ({ access }: Endpoint) => access.who === 'agent'

async function stage() {
  const app = await testApp({ env: withoutLimits })
  const { own, operator, ids } = await twoCompanies(app)
  const stay = keepSignedIn(app, own.admin.userId)
  const asRightful = (endpoint: Endpoint): Request => ({
    params: paramsOf(endpoint, ids),
    ...(endpoint.access.who === 'user' && { token: callerOf(endpoint, { own, operator }) }),
    ...(endpoint.access.who === 'agent' && { token: own.device.authToken }),
  })
  return { app, ids, asRightful, stay }
}

test('a body that is no JSON is refused with one text, and nothing changes', async () => {
  const { app, asRightful } = await stage()
  await using _ = app
  const before = await contents(app)
  const broken = [
    '{',
    '{"a":}',
    '[1,',
    'nonsense',
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":1}}',
    '\u0000',
  ]
  for (const endpoint of withBody)
    for (const payload of broken) {
      const { status, body } = await send(app, endpoint, { ...asRightful(endpoint), payload })
      expect([status, body.error], `${endpoint.name}: ${payload}`).toEqual([400, 'Malformed JSON in request body'])
    }
  expect(await contents(app)).toEqual(before)
})

test('a body of another content type is refused', async () => {
  const { app, asRightful } = await stage()
  await using _ = app
  const before = await contents(app)
  for (const endpoint of withBody)
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
    ]) {
      const request = { ...asRightful(endpoint), payload: 'name=x', headers: { 'content-type': type } }
      const { status, body } = await send(app, endpoint, request)
      expect([status, body.code], `${endpoint.name} ${type}`).toEqual([415, 'unsupported_media_type'])
    }
  expect(await contents(app)).toEqual(before)
})

test('a body over its limit is refused before it is read', async () => {
  const { app, asRightful } = await stage()
  await using _ = app
  const before = await contents(app)
  for (const endpoint of withBody) {
    const payload = `{"name":"${'x'.repeat((endpoint.bodyLimit ?? 1024 * 1024) + 1)}"}`
    const { status, body } = await send(app, endpoint, { ...asRightful(endpoint), payload })
    expect([status, body.code], endpoint.name).toEqual([413, 'payload_too_large'])
  }
  expect(await contents(app)).toEqual(before)
})

test('a body with too many values is a 400 and changes nothing', async () => {
  const { app, asRightful } = await stage()
  await using _ = app
  const before = await contents(app)
  for (const endpoint of withBody) {
    const limit = endpoint.bodyLimit ?? 1024 * 1024
    const payload = `{"name":[${'[],'.repeat((limit - 100) / 3)}[]]}`
    const { status, body } = await send(app, endpoint, { ...asRightful(endpoint), payload })
    expect([status, body.error], endpoint.name).toEqual([
      400,
      expect.stringMatching(/^Request body has more than \d+ values$/),
    ])
  }
  expect(await contents(app)).toEqual(before)
})

const wrongValues = [7, -1, 1.5, 1e21, '', 'x', '\u0000', 'x'.repeat(70_000), true, null, [], [null], {}, { a: [] }]

test('every field of every body is validated, and the 400 names it', async () => {
  const { app, ids, asRightful } = await stage()
  await using _ = app
  const before = await contents(app)
  let refused = 0
  for (const endpoint of withBody.filter((one) => !isLenient(one)))
    for (const { variant, field, schema } of fieldsOf(endpoint)) {
      const whole = { ...(sample(variant) as object), [field]: sample(schema, true) }
      expect(endpoint.body?.safeParse(whole).success, `${endpoint.name} with ${field}`).toBe(true)
      for (const place of placesIn(whole).filter(([first]) => first === field))
        for (const wrong of wrongValues) {
          const body = replaced(whole, place, wrong)
          if (endpoint.body?.safeParse(body).success) continue
          const answer = await send(app, endpoint, { ...asRightful(endpoint), body })
          const where = `${endpoint.name}: ${place.join('.')} = ${JSON.stringify(wrong)?.slice(0, 40)}`
          expect([answer.status, answer.body.code], where).toEqual([400, 'validation_failed'])
          const named = Object.keys(answer.body.details.fieldErrors)
          expect(
            named.some((path) => path === field || path.startsWith(`${field}.`)),
            `${where} ${named}`,
          ).toBe(true)
          const [first = ''] = named
          const told = endpoint.isBrief ? answer.body.details.fieldErrors[first][0] : first
          expect(answer.body.error, where).toContain(told)
          refused++
        }
    }
  expect(refused).toBeGreaterThan(100)
  expect(await contents(app), `${ids.org}`).toEqual(before)
})

test('no text field of a body takes a million characters', () => {
  for (const endpoint of withBody.filter((one) => !isLenient(one)))
    for (const { field, schema } of fieldsOf(endpoint)) {
      const whole = sample(schema, true)
      for (const place of placesIn(whole)) {
        const isText =
          typeof place.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], whole) === 'string'
        if (!isText || isFreeJson(schema)) continue
        const endless = replaced(whole, place, 'x'.repeat(1_000_000))
        const { success, data } = schema.safeParse(endless)
        const isTaken = success && isDeepStrictEqual(data, endless)
        expect(isTaken, `${endpoint.name} ${field}.${place.join('.')}`).toBe(false)
      }
    }
})

test('free JSON that is stored is limited in size, except in the listed fields', () => {
  const free = withBody
    .filter((one) => !isLenient(one))
    .flatMap((endpoint) => fieldsOf(endpoint).map((one) => ({ name: `${endpoint.name} ${one.field}`, ...one })))
  const taking = (extra: string) => {
    const sent = { extra }
    return free.filter(({ schema }) => isDeepStrictEqual(schema.safeParse(sent).data, sent)).map(({ name }) => name)
  }
  expect(taking('x')).toContain('organizations.create settings')
  expect(taking('x'.repeat(100_000))).toEqual([
    // Not kept.
    'auth.mfa-step-up credential',
    // Returned to their owner only.
    'users.update-me preferences',
    // Written by operators.
    'partners.create settings',
    'partners.update settings',
  ])
})

// --- and whatever else there is ----------------------------------------------------------------------------------

/** Stands for arrays nested this deep, which no generator can print. */
const nested = (depth: number) => `nested:${depth}`
const toText = (body: unknown) =>
  JSON.stringify(body).replaceAll(/"nested:(\d+)"/g, (_, depth) => '['.repeat(depth) + ']'.repeat(depth))
const oddTexts = [
  '\u0000',
  'a\u0000b',
  '\ud800',
  '%',
  "'; DROP TABLE devices; --",
  '../../etc/passwd',
  '\u202e',
  '💥'.repeat(50),
]
const oddValues = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...oddTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(nested(40), nested(1500), nested(20_000), { a: nested(1500) }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(1e308, -0, 2 ** 53, -(2 ** 31), 0.1, 9e15) },
)

/** A fitting body of which some fields became odd and some went missing. */
function almostFitting(endpoint: Endpoint, ids: Ids): fc.Arbitrary<unknown> {
  const body = endpoint.body as z.ZodType
  const own: Record<string, string> = { orgId: ids.org, siteId: ids.site, partnerId: ids.partner }
  const fields = Object.entries(shapeOf(body)).map(([key, schema]) => [
    key,
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(own[key] ?? sample(schema, true)) },
      { weight: 2, arbitrary: oddValues },
    ),
  ])
  return fc.oneof(
    { weight: 6, arbitrary: fc.record(Object.fromEntries(fields), { requiredKeys: [] }) },
    { weight: 1, arbitrary: oddValues },
  )
}

/** Endpoints that hash a password, or answer after a minimum time as they come before the sign-in. */
const isSlow = ({ body }: Endpoint) =>
  Object.keys(shapeOf(body)).some((field) => /password|^email$|^credential$/i.test(field))

/** Statuses that are no failures: not offered (501), refused by a mail server (502), not ready (503). */
const isHonest = (status: number) => status >= 501 && status <= 503

test('no body, however odd, makes the server fail', async () => {
  const { app, ids, asRightful, stay } = await stage()
  await using _ = app
  const tryOut = (endpoint: Endpoint) =>
    fc.assert(
      fc.asyncProperty(almostFitting(endpoint, ids), async (body) => {
        const { status, text } = await send(app, endpoint, { ...asRightful(endpoint), payload: toText(body) })
        if (endpoint.access.who !== 'public') {
          stay()
          expect(status, `${endpoint.name} lost its caller`).not.toBe(401)
        }
        expect(status < 500 || isHonest(status), `${endpoint.name}: ${text}`).toBe(true)
      }),
      { numRuns: isSlow(endpoint) ? times(8, 2) : times(60, 5) },
    )
  // The public ones mostly wait, so they run at once; the others share one caller.
  await Promise.all(withBody.filter(({ access }) => access.who === 'public').map(tryOut))
  for (const endpoint of withBody.filter(({ access }) => access.who !== 'public')) await tryOut(endpoint)
})

test('no query and no id in a path, however odd, makes the server fail', async () => {
  const { app, ids, asRightful, stay } = await stage()
  await using _ = app
  const oddText = fc.oneof(
    fc.constantFrom(...oddTexts, '-1', '1e9', '99999999999999999999', '1,2', 'null', ids.org),
    fc.string({ maxLength: 400 }),
  )
  for (const endpoint of allEndpoints.filter((one) => !isStream(one))) {
    const queryKeys = Object.keys(shapeOf(endpoint.query))
    const paramKeys = Object.keys(paramsOf(endpoint, ids))
    if (queryKeys.length + paramKeys.length === 0) continue
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom(...queryKeys, 'orgId', 'x'), oddText, { maxKeys: 6 }),
        fc.dictionary(
          fc.constantFrom(...paramKeys, 'x'),
          oddText.filter((text) => text !== '').map((text) => text.toWellFormed()),
          { maxKeys: 2 },
        ),
        async (query, odd) => {
          const request = asRightful(endpoint)
          const { status, text } = await send(app, endpoint, {
            ...request,
            params: { ...request.params, ...odd },
            query,
            body: endpoint.body ? {} : undefined,
          })
          stay()
          expect(status < 500 || isHonest(status), `${endpoint.name}: ${status} ${text}`).toBe(true)
        },
      ),
      { numRuns: times(120, 10) },
    )
  }
})
