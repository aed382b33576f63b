import { expect, test } from 'vitest'
import type { Endpoint } from '../../shared/endpoint.ts'
import { fieldsOf, placesIn, replaced } from '../contract/json-paths.ts'
import { bodyOf, forUsers, type Ids, isStream, paramsOf, queryOf, type Request } from '../contract/kit.ts'
import { sample, shapeOf } from '../contract/samples.ts'
import { withoutLimits } from '../contract/stage.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { type Caller, type Foreign, neighbours } from './callers.ts'
import { Sweep } from './sweep.ts'

/**
 * Every id of a foreign tenant at every place where an id can stand, by everybody whose sight ends before it: the answer
 * is, byte for byte, that for an id nobody has, tells nothing, and changes nothing.
 */

interface Place {
  name: string
  /** The request with an id there, everything else being the caller's own. */
  with: (id: string) => Request
}

/** What an identity provider knows the appliance by is text of its owner, and comes back in every answer after it. */
const isOfProvider = (key: string) => key === 'clientId' || key === 'entityId'
const isId = (key: string | number | undefined) =>
  typeof key === 'string' && /(^id|Id)s?$/.test(key) && !isOfProvider(key)
const anId = '0b1c5a0e-7d6f-4c1c-9d4e-2f1f3f0e9a11'

function placesOf(endpoint: Endpoint, own: Ids): Place[] {
  const fitting = { params: paramsOf(endpoint, own), query: queryOf(endpoint, own), body: bodyOf(endpoint, own) }
  const params = Object.keys(fitting.params).map((name) => ({
    name: `:${name}`,
    with: (id: string) => ({ ...fitting, params: { ...fitting.params, [name]: id } }),
  }))
  const query = Object.entries(shapeOf(endpoint.query))
    .filter(([, schema]) => schema.safeParse(anId).success)
    .map(([key]) => ({
      name: `?${key}`,
      with: (id: string) => ({ ...fitting, query: { ...fitting.query, [key]: id } }),
    }))
  const body = fieldsOf(endpoint).flatMap(({ field, schema }) => {
    const whole = { ...(fitting.body as object), [field]: sample(schema, true) }
    return placesIn(whole)
      .filter((place) => place[0] === field && place.some(isId))
      .map((place) => ({
        name: place.join('.'),
        with: (id: string) => ({ ...fitting, body: replaced(whole, place, id) }),
      }))
  })
  return [...params, ...query, ...body]
}

/** Of the same form as an id, and nobody's. */
const unlike = (id: string) =>
  id.replace(/[0-9a-f](?=[0-9a-f]{0,7}$)/gi, (digit) => ((Number.parseInt(digit, 16) + 5) % 16).toString(16))
const formOf = (id: string) => id.replace(/[0-9a-f]/gi, 'x')

type Reply = Awaited<ReturnType<Caller['call']>>

const told = ({ status, text }: Reply, id: string) => `${status} ${text.replaceAll(id, '<id>')}`

/** All rows that belong to a tenant, as one text. */
function rowsOf({ db, rowCounts }: TestApp, { ids }: Foreign): string {
  const owners = [ids.partner, ids.org].filter((id) => id !== undefined)
  const list = owners.map(() => '?').join()
  const owned = Object.keys(rowCounts()).flatMap((table) => {
    const columns = db.statement(`SELECT name FROM pragma_table_info(?)`).pluck().all(table)
    const owner = ['org_id', 'partner_id'].filter((name) => columns.includes(name))
    if (table === 'organizations' || table === 'partners') owner.push('id')
    return owner.map((column) => db.statement(`SELECT * FROM "${table}" WHERE ${column} IN (${list})`).all(...owners))
  })
  return JSON.stringify(owned)
}

const isOpenToKeys = ({ access }: Endpoint) => access.who === 'user' && access.byKey === true
/** A look that goes on record tells in the next one what was asked for. */
const isOnRecord = ({ method, audit }: Endpoint) => method === 'GET' && audit !== null
const changesLast = (a: Endpoint, b: Endpoint) => Number(a.method !== 'GET') - Number(b.method !== 'GET')
const walked = forUsers.filter((one) => !isStream(one) && !isOnRecord(one)).toSorted(changesLast)

class Walk {
  readonly #app: TestApp
  readonly sweep: Sweep

  constructor(app: TestApp, sweep: Sweep) {
    this.#app = app
    this.sweep = sweep
  }

  async at(endpoint: Endpoint, place: Place, caller: Caller, foreign: Foreign): Promise<void> {
    const unknown = new Map<string, string>()
    for (const [kind, id] of Object.entries(foreign.ids)) {
      const what = `${endpoint.name} ${place.name} = ${kind} of ${foreign.name}, by ${caller.name}:`
      const form = formOf(id)
      if (!unknown.has(form)) {
        const answer = await caller.call(endpoint, place.with(unlike(id)))
        if (endpoint.method !== 'GET' && answer.status < 400)
          return this.#takesAnything(endpoint, place, caller, foreign)
        unknown.set(form, told(answer, unlike(id)))
      }
      const answer = await caller.call(endpoint, place.with(id))
      await this.sweep.lookHarmless(what, answer.response)
      this.#tellsNothing(what, answer, foreign, id)
      if (told(answer, id) !== unknown.get(form))
        this.sweep.fault(what, `${told(answer, id)}\n  but of nobody ${unknown.get(form)}`)
    }
  }

  /** Some places are not looked at, or take any text: what is done stays with the caller. */
  async #takesAnything(endpoint: Endpoint, place: Place, caller: Caller, foreign: Foreign): Promise<void> {
    const before = rowsOf(this.#app, foreign)
    for (const [kind, id] of Object.entries(foreign.ids)) {
      const what = `${endpoint.name} ${place.name} = ${kind} of ${foreign.name}, taken from ${caller.name}:`
      const answer = await caller.call(endpoint, place.with(id))
      this.sweep.look(what, answer.response)
      this.#tellsNothing(what, answer, foreign, id)
      if (rowsOf(this.#app, foreign) !== before) this.sweep.fault(what, `reached into it: ${answer.text}`)
    }
    await this.sweep.remember()
  }

  #tellsNothing(what: string, { text }: Reply, { ids, words }: Foreign, asked: string): void {
    const secrets = [...Object.values(ids).filter((id) => id !== asked), ...words]
    for (const secret of secrets) if (text.includes(secret)) this.sweep.fault(what, `tells ${secret}: ${text}`)
  }
}

test('an id of a foreign tenant is, wherever it stands, an id that nobody has', async () => {
  await using app = await testApp({ env: withoutLimits })
  const { own, callers } = await neighbours(app)
  const walk = new Walk(app, await Sweep.of(app, ['api_keys']))
  for (const endpoint of walked)
    for (const place of placesOf(endpoint, own))
      for (const caller of callers.filter((one) => !one.isKey || isOpenToKeys(endpoint)))
        for (const foreign of caller.foreign) await walk.at(endpoint, place, caller, foreign)
  expect(walk.sweep.faults).toEqual([])
  expect(walk.sweep.calls).toBeGreaterThan(20_000)
})
