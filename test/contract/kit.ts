import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { q } from '../../server/db/query.ts'
import { isoNow } from '../../server/platform/clock.ts'
import { runScript } from '../../shared/api/commands.ts'
import { allEndpoints } from '../../shared/api/index.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { allPermissions } from '../../shared/permissions.ts'
import { company, otherCompany, type Person, person } from '../helpers/factories.ts'
import { pathOf, type TestApp } from '../helpers/test-app.ts'

/** What the walking tests share: every endpoint, a call that fits it, and what the database holds before and after. */

export const guarded = allEndpoints.filter(({ access }) => access.who !== 'public')
export const forUsers = allEndpoints.filter(({ access }) => access.who === 'user')
export const forAgents = allEndpoints.filter(({ access }) => access.who === 'agent')
/** Never answers to the end, so only its refusals can be walked. */
export const isStream = (endpoint: Endpoint) => endpoint.content === 'text/event-stream'

export interface Ids {
  org: string
  site: string
  device: string
  agent: string
  key: string
  command: string
  partner: string
}

const idByCollection: Record<string, keyof Ids> = {
  '/orgs/organizations': 'org',
  '/orgs/sites': 'site',
  '/devices': 'device',
  '/enrollment-keys': 'key',
}
const idByName: Record<string, keyof Ids> = { deviceId: 'device', agentId: 'agent', commandId: 'command' }
/** Parameters that name nothing of a tenant. */
const plainParams: Record<string, string> = { name: 'sessions.prune', platform: 'windows' }

/** Values for the parameters of a path; a parameter nobody has told us about fails the walk. */
export function paramsOf(endpoint: Endpoint, ids: Ids): Record<string, string> {
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  return Object.fromEntries(
    names.map((name) => {
      const collection = endpoint.path.slice(0, endpoint.path.indexOf('/:'))
      const kind = idByName[name] ?? (name === 'id' ? idByCollection[collection] : undefined)
      const value = kind ? ids[kind] : plainParams[name]
      if (value === undefined) throw new Error(`${endpoint.name}: tell test/contract/kit.ts what :${name} stands for`)
      return [name, value]
    }),
  )
}

export const namesTenantData = (endpoint: Endpoint) =>
  [...endpoint.path.matchAll(/:(\w+)/g)].some(([, name = '']) => !(name in plainParams))

const idFields: Record<string, keyof Ids> = {
  orgId: 'org',
  organizationId: 'org',
  orgIds: 'org',
  siteId: 'site',
  siteIds: 'site',
  partnerId: 'partner',
  deviceId: 'device',
}
/** The fields of a body or query that name something of a tenant. */
export const idFieldsOf = (schema: z.ZodType | undefined): { field: string; kind: keyof Ids }[] =>
  Object.keys(shapeOf(schema)).flatMap((field) => (idFields[field] ? [{ field, kind: idFields[field] }] : []))

interface Definition {
  type: string
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
  in?: z.ZodType
  out?: z.ZodType
  options?: z.ZodType[]
  entries?: Record<string, unknown>
  values?: unknown[]
}
const definitionOf = (schema: z.ZodType) => schema.def as unknown as Definition

function unwrapped(schema: z.ZodType): z.ZodType {
  const { innerType, type, in: input, out } = definitionOf(schema)
  if (innerType) return unwrapped(innerType)
  if (type !== 'pipe' || !input || !out) return schema
  return unwrapped(definitionOf(input).type === 'transform' ? out : input)
}

export const shapeOf = (schema: z.ZodType | undefined): Record<string, z.ZodType> =>
  (schema && definitionOf(unwrapped(schema)).shape) ?? {}

const scalars: unknown[] = [
  'Sample1a',
  'sample@homeport.test',
  'c2f0a4c6-2f0f-4a55-9a36-0b7f2f6c1d11',
  '2027-12-01T00:00:00.000Z',
  'Europe/Berlin',
  '123456',
  '1',
  'true',
  1,
  0.5,
  true,
  null,
]

/** A value the schema accepts, with every optional part left out unless `full`. */
export function sample(schema: z.ZodType, full = false): unknown {
  const inner = unwrapped(schema)
  const { type, shape, element, options, entries, values } = definitionOf(inner)
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(shape ?? {})
          .filter(([, field]) => full || !field.safeParse(undefined).success)
          .map(([key, field]) => [key, sample(field, full)]),
      )
    case 'array':
      return element ? [sample(element, full)] : []
    case 'union':
      return sample(options?.[0] as z.ZodType, full)
    case 'enum':
      return Object.values(entries ?? {})[0]
    case 'literal':
      return values?.[0]
    case 'record':
      return {}
    default: {
      const fitting = scalars.find((value) => schema.safeParse(value).success)
      if (fitting === undefined) throw new Error(`No sample fits a ${type} field; add one to test/contract/kit.ts`)
      return fitting
    }
  }
}

/** The smallest body that asks for something. Pairs that exclude each other are why it is not the fullest one. */
export function bodyOf(endpoint: Endpoint, ids: Ids): unknown {
  if (!endpoint.body) return undefined
  const body = sample(endpoint.body)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fields = body as Record<string, unknown>
  const [first] = Object.entries(shapeOf(endpoint.body))
  if (Object.keys(fields).length === 0 && first) fields[first[0]] = sample(first[1])
  for (const { field, kind } of idFieldsOf(endpoint.body)) if (field in fields) fields[field] = ids[kind]
  return fields
}

export interface Request {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  token?: string
  headers?: Record<string, string>
  payload?: string | Buffer
  remoteAddress?: string
}

/** Calls an endpoint with whatever is given, right or wrong; a stream that opens is left to itself. */
export async function send(app: TestApp, endpoint: Endpoint, request: Request) {
  const { params, query, body, token, headers, payload, remoteAddress } = request
  const response = await app.inject({
    method: endpoint.method,
    url: `/api/v1${pathOf(endpoint, params)}`,
    ...(query && { query }),
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...((body !== undefined || payload !== undefined) && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload !== undefined ? { payload } : body !== undefined && { payload: JSON.stringify(body) }),
    ...(remoteAddress && { remoteAddress }),
  })
  const isJson = String(response.headers['content-type']).includes('json')
  return { status: response.statusCode, text: response.body, body: isJson ? response.json() : null, response }
}

/** Counting uses of a limit is the one thing a refused call may write. */
const countersOnly = new Set(['rate_limits'])

/** What every table holds once all that was promised is delivered, as one hash each. */
export async function contents(app: TestApp): Promise<Record<string, string>> {
  await app.app.telemetry.flush()
  while (app.rowCounts().outbox) await sleep(5)
  return Object.fromEntries(
    Object.keys(app.rowCounts())
      .filter((name) => !countersOnly.has(name))
      .map((name) => [name, hash('sha256', JSON.stringify(app.db.statement(`SELECT * FROM "${name}"`).all()))]),
  )
}

/** Two companies on one appliance; each has an organization, a site, a device, a key and a command. */
export async function twoCompanies(app: TestApp) {
  const own = await company(app)
  const other = await otherCompany(app)
  const idsOf = async (
    token: string,
    partner: string,
    { org, site, device, key }: Pick<typeof own, 'org' | 'site' | 'device' | 'key'>,
  ): Promise<Ids> => ({
    org: org.id,
    site: site.id,
    device: device.deviceId,
    agent: device.agentId,
    key: key.id,
    command: await scriptOn(app, token, device.deviceId),
    partner,
  })
  return {
    own,
    other,
    ids: await idsOf(own.admin.token, own.admin.partnerId, own),
    otherIds: await idsOf(other.admin.token, other.partnerId, other),
  }
}

async function scriptOn(app: TestApp, token: string, id: string): Promise<string> {
  const { body } = await app.call(runScript, { params: { id }, body: { language: 'bash', content: 'true' } }, { token })
  return body.id
}

/** Gives the built-in role that `who` holds exactly these grants, so that one sign-in serves a whole walk. */
export function regrant(app: TestApp, role: { name: string; scope: string }, permissions: readonly string[]): void {
  app.db.transaction(() => {
    const { id } = app.db.first(
      q
        .selectFrom('roles')
        .select('id')
        .where('name', '=', role.name)
        .where('scope', '=', role.scope as 'partner'),
    ) as { id: string }
    app.db.run(q.deleteFrom('role_permissions').where('role_id', '=', id))
    for (const row of app.db.all(q.selectFrom('permissions').selectAll()))
      if (permissions.includes(`${row.resource}:${row.action}`))
        app.db.run(q.insertInto('role_permissions').values({ role_id: id, permission_id: row.id, constraints: null }))
    app.db.run(
      q
        .updateTable('roles')
        .set({ updated_at: isoNow(app.clock) })
        .where('id', '=', id),
    )
  })
}

/** Somebody whom no missing permission stops, in any scope. */
export async function omnipotent(app: TestApp, who: Person) {
  if (who.scope === 'organization') regrant(app, { name: 'Org Admin', scope: 'organization' }, allPermissions)
  return person(app, who)
}
