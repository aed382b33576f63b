import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { allEndpoints } from '../../shared/api/index.ts'
import { submitResult } from '../../shared/device/commands.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { fieldsOf, type Path, placesIn, replaced } from '../contract/json-paths.ts'
import { bodyOf, type Ids, isStream, paramsOf, queryOf, type Request, send } from '../contract/kit.ts'
import { sample, shapeOf } from '../contract/samples.ts'
import { callerOf, keepSignedIn, twoCompanies, withoutLimits } from '../contract/stage.ts'
import { pathOf, testApp } from '../helpers/test-app.ts'
import { oddBodies, oddContentTypes, oddEncodings, oddHeaders, oddJson, oddTexts } from './odd-values.ts'
import { Sweep } from './sweep.ts'

/**
 * Some tens of thousands calls that nobody meant, by somebody who may call: none makes the server fail or tell of its
 * insides, and one that is refused changes no row.
 */

const endpoints = allEndpoints.filter((one) => !isStream(one))
const withBody = endpoints.filter(({ body }) => body)
/** Reports of devices are taken as far as they can be read, so a bad field is dropped instead of refused. */
const isLenient = ({ access }: Endpoint) => access.who === 'agent'
/** Fits no contract. */
const unfit = '[7]'

async function stage() {
  const app = await testApp({ env: withoutLimits })
  const { own, operator, ids } = await twoCompanies(app)
  const asRightful = (endpoint: Endpoint): Request => ({
    params: paramsOf(endpoint, ids),
    ...(endpoint.access.who === 'user' && { token: callerOf(endpoint, { own, operator }) }),
    ...(endpoint.access.who === 'agent' && { token: own.device.authToken }),
  })
  const call = async (endpoint: Endpoint, request: Request) =>
    (await send(app, endpoint, { ...asRightful(endpoint), ...request })).response
  /** To an address that no contract writes. */
  const callAt = (endpoint: Endpoint, url: string, payload?: string) =>
    app.inject({
      method: endpoint.method,
      url: `/api/v1${url}`,
      headers: {
        authorization: `Bearer ${asRightful(endpoint).token}`,
        ...(payload !== undefined && { 'content-type': 'application/json' }),
      },
      ...(payload !== undefined && { payload }),
    })
  const stay = keepSignedIn(app, own.admin.userId)
  return {
    app,
    ids,
    call,
    callAt,
    stay,
    sweep: await Sweep.of(app),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

const mark = '"a mark that stands for something odd"'
const withOdd = (whole: unknown, place: Path, odd: string) =>
  JSON.stringify(replaced(whole, place, JSON.parse(mark))).replace(mark, () => odd)

/** Keys that no JSON may have here, and more levels than it may have. */
const isNeverTaken = (text: string) => /"(__proto__|constructor)":/.test(text) || /(\[|\{"a":){100}/.test(text)
const isTaken = (endpoint: Endpoint, text: string) =>
  // A body that is null is none.
  !isNeverTaken(text) && endpoint.body?.safeParse(JSON.parse(text) ?? undefined).success === true

/** A fitting body for every field, with something odd at every place of that field. */
function* oddlyFilled(endpoint: Endpoint, fill: (variant: ReturnType<typeof fieldsOf>[number]['variant']) => unknown) {
  for (const { variant, field, schema } of fieldsOf(endpoint)) {
    const whole = { ...(fill(variant) as object), [field]: sample(schema, true) }
    for (const place of placesIn(whole).filter(([first]) => first === field))
      for (const odd of oddJson)
        yield { name: `${endpoint.name}: ${place.join('.')} = ${odd.slice(0, 40)},`, text: withOdd(whole, place, odd) }
  }
  for (const odd of oddJson) yield { name: `${endpoint.name}: ${odd.slice(0, 40)}`, text: odd }
}

test('what does not belong at a place of a body is refused there', async () => {
  await using scene = await stage()
  const { sweep, call } = scene
  for (const endpoint of withBody.filter((one) => !isLenient(one)))
    for (const { name, text } of oddlyFilled(endpoint, sample)) {
      if (isTaken(endpoint, text)) continue
      await sweep.lookRefused(name, await call(endpoint, { payload: text }))
    }
  expect(sweep.faults).toEqual([])
  expect(sweep.calls).toBeGreaterThan(10_000)
})

/** Of what somebody tells who stands before the sign-in, each answer takes its time: they wait together. */
const sideBySide = 25

test('what is odd and yet belongs there makes nothing fail', async () => {
  let calls = 0
  for (const endpoint of withBody) {
    // Each finds everything there is, whatever the former did to it.
    await using scene = await stage()
    const { sweep, call, stay, ids } = scene
    const taken = [...oddlyFilled(endpoint, () => bodyOf(endpoint, ids))].filter(
      ({ text }) => isLenient(endpoint) || isTaken(endpoint, text),
    )
    const atOnce = endpoint.access.who === 'public' ? sideBySide : 1
    for (let at = 0; at < taken.length; at += atOnce)
      await Promise.all(
        taken.slice(at, at + atOnce).map(async ({ name, text }) => {
          sweep.look(name, await call(endpoint, { payload: text }))
          if (endpoint.access.who === 'user') stay()
        }),
      )
    expect(sweep.faults).toEqual([])
    calls += sweep.calls
  }
  expect(calls).toBeGreaterThan(5000)
})

test('keys that nobody knows, or that are missing or twice there, make nothing fail', async () => {
  for (const endpoint of withBody) {
    await using scene = await stage()
    const { sweep, call, stay, ids } = scene
    const whole = JSON.stringify(bodyOf(endpoint, ids))
    const fields = Object.entries(JSON.parse(whole) as object)
    const variants = [
      ...['""', '"zzz"', '"toString"', '"hasOwnProperty"', '"then"', '"\\ud800"'].map((key) =>
        `{${key}:1,${whole.slice(1)}`.replace(/,\}$/, '}'),
      ),
      ...fields.map(([missing]) => JSON.stringify(Object.fromEntries(fields.filter(([key]) => key !== missing)))),
      ...fields.map(([key]) => `{${JSON.stringify(key)}:null,${whole.slice(1)}`),
    ]
    for (const text of variants) {
      sweep.look(`${endpoint.name}: ${text.slice(0, 80)}`, await call(endpoint, { payload: text }))
      if (endpoint.access.who === 'user') stay()
    }
    expect(sweep.faults).toEqual([])
  }
})

test('a body that is no JSON, of another type or encoding, is refused', async () => {
  await using scene = await stage()
  const { sweep, call } = scene
  for (const endpoint of withBody) {
    for (const [name, payload] of oddBodies) {
      // A mark at the beginning is no part of it.
      const text = String(payload).replace(/^\ufeff/, '')
      if (isJson(text) && (isLenient(endpoint) || isTaken(endpoint, text))) continue
      await sweep.lookRefused(`${endpoint.name} with ${name}`, await call(endpoint, { payload }))
    }
    if (isLenient(endpoint)) continue
    for (const type of oddContentTypes) {
      const request = { payload: unfit, headers: { 'content-type': type } }
      await sweep.lookRefused(`${endpoint.name} as "${type.slice(0, 40)}"`, await call(endpoint, request))
    }
  }
  expect(sweep.faults).toEqual([])
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('an id that is none names nothing', async () => {
  await using scene = await stage()
  const { sweep, ids, callAt } = scene
  for (const endpoint of endpoints) {
    const payload = endpoint.body && JSON.stringify(bodyOf(endpoint, ids))
    const params = paramsOf(endpoint, ids)
    for (const name of Object.keys(params)) {
      const addressed = (odd: string) =>
        pathOf(endpoint, { ...params, [name]: mark }).replace(encodeURIComponent(mark), odd)
      const odds = [...oddTexts.filter(Boolean).map((text) => encodeURIComponent(text.toWellFormed())), ...oddEncodings]
      for (const odd of odds) {
        const answer = await callAt(endpoint, addressed(odd), payload)
        const what = `${endpoint.name} with :${name} = ${odd.slice(0, 40)}`
        // What is public may say the same of anything.
        if (answer.statusCode < 400 && endpoint.access.who === 'public' && endpoint.method === 'GET')
          sweep.look(what, answer)
        // Ids that are no UUID belong to things without a row: their results are taken, and nothing is kept.
        else if (endpoint === submitResult && name === 'commandId') await sweep.lookHarmless(what, answer)
        else await sweep.lookRefused(what, answer)
      }
    }
  }
  expect(sweep.faults).toEqual([])
  expect(sweep.calls).toBeGreaterThan(5000)
})

/** A call without a body, or with an unfit one, changes nothing by its query. */
const harmless = (endpoint: Endpoint, ids: Ids) => {
  const params = paramsOf(endpoint, ids)
  const nobody = Object.fromEntries(Object.keys(params).map((name) => [name, randomUUID()]))
  return {
    path: pathOf(endpoint, endpoint.method === 'GET' ? params : nobody),
    payload: endpoint.body ? unfit : undefined,
    isChanging: endpoint.method !== 'GET' && !endpoint.body && Object.keys(params).length === 0,
  }
}

test('whatever stands in a query, nothing fails', async () => {
  await using scene = await stage()
  const { sweep, ids, callAt } = scene
  const pages = ['-1', '0', '1.5', '1e9', '1e400', 'NaN', 'Infinity', '9007199254740993', '99999999999999999999', '']
  for (const endpoint of endpoints) {
    const { path, payload, isChanging } = harmless(endpoint, ids)
    if (isChanging) continue
    const known = queryOf(endpoint, ids)
    const queries = [
      ...[...Object.keys(shapeOf(endpoint.query)), 'zzz'].flatMap((key) => [
        ...[...oddTexts, ...(/page|limit|offset/i.test(key) ? pages : [])].map((text) =>
          new URLSearchParams({ ...known, [key]: text }).toString(),
        ),
        ...oddEncodings.map((odd) => `${key}=${odd}`),
        `${key}`,
        `${key}=a&${key}=b`,
        `${key}[]=a&${key}[]=b`,
        `${key}[a][b]=c`,
        `${key}=${'&'.repeat(2000)}`,
      ]),
      '__proto__=x&__proto__[y]=z',
      'constructor[prototype][x]=1',
      'toString=1&hasOwnProperty=2',
      Array.from({ length: 2000 }, (_, n) => `k${n}=v`).join('&'),
      '?&=&;#',
    ]
    for (const query of queries)
      sweep.look(`${endpoint.name}?${query.slice(0, 60)}`, await callAt(endpoint, `${path}?${query}`, payload))
  }
  expect(sweep.faults).toEqual([])
  expect(sweep.calls).toBeGreaterThan(5000)
})

const isCredential = (headers: Record<string, string>) => 'authorization' in headers || 'x-api-key' in headers

test('whatever stands in the headers, nothing fails', async () => {
  await using scene = await stage()
  const { sweep, ids, app } = scene
  for (const endpoint of endpoints) {
    const { path, payload, isChanging } = harmless(endpoint, ids)
    for (const odd of oddHeaders) {
      if (isChanging && !isCredential(odd)) continue
      const answer = await app.inject({
        method: endpoint.method,
        url: `/api/v1${path}`,
        headers: { ...(payload && { 'content-type': 'application/json' }), ...odd },
        ...(payload && { payload }),
      })
      sweep.look(`${endpoint.name} with ${JSON.stringify(odd).slice(0, 60)}`, answer)
    }
  }
  expect(sweep.faults).toEqual([])
})

test('a method that an address does not take is refused', async () => {
  await using scene = await stage()
  const { sweep, ids, app } = scene
  const addresses = Map.groupBy(allEndpoints, (endpoint) => pathOf(endpoint, paramsOf(endpoint, ids)))
  for (const [path, taken] of addresses)
    for (const method of ['OPTIONS', 'TRACE', 'PUT', 'PATCH', 'POST', 'DELETE', 'GET'] as const) {
      const isRoute = [...addresses].some(
        ([other, those]) => other === path && those.some((endpoint) => endpoint.method === method),
      )
      if (isRoute || taken.some((endpoint) => endpoint.method === method)) continue
      const [first] = taken
      const answer = await app.inject({ method: method as 'GET', url: `/api/v1${path}` })
      await sweep.lookRefused(`${method} to ${first?.name}`, answer)
    }
  expect(sweep.faults).toEqual([])
})
