import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { allEndpoints } from '../../shared/api/index.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { password } from '../helpers/factories.ts'
import { pathOf, type TestApp } from '../helpers/test-app.ts'
import { formWith, tinyPng } from '../helpers/upload.ts'
import { sample, shapeOf } from './samples.ts'

/** What the walking tests share: every endpoint, and a call that fits it. */

export const guarded = allEndpoints.filter(({ access }) => access.who !== 'public')
export const forUsers = allEndpoints.filter(({ access }) => access.who === 'user')
export const forAgents = allEndpoints.filter(({ access }) => access.who === 'agent')
/** Never answers to the end, so only its refusals can be walked. */
export const isStream = (endpoint: Endpoint) => endpoint.content === 'text/event-stream'

export type NamedIds = {
  org: string
  site: string
  /** Without devices, so that it may go. */
  bareSite: string
  /** Of the site. */
  contact: string
  device: string
  agent: string
  key: string
  /** Of the organization; made by the caller. */
  apiKey: string
  /** Static, of the whole organization, empty. */
  group: string
  /** For the older address: what one address deletes the other finds no more. */
  olderGroup: string
  /** Of the organization: a policy with backup settings, assigned to the site. */
  policy: string
  policyLink: string
  policyAssignment: string
  /** Of the organization: an identity provider without an issuer, so that nothing is asked of anybody. */
  provider: string
  /** The same of the company, for its users. */
  staffProvider: string
  /** Of the caller, at the provider of the company. */
  identity: string
  /** Of the organization, not proven. */
  domain: string
  command: string
  /** Of the company, long over. */
  mergeRun: string
  partner: string
  /** A company with nobody in it, so that nothing befalls the caller when it is changed or removed. */
  bareCompany: string
  /** Somebody of the company, who holds a factor. */
  user: string
  /** Of the company, who has yet to accept. */
  invited: string
  /** Of the company, which nobody has. */
  role: string
  /** Of the caller: a passkey, and another session than the one that calls. */
  passkey: string
  session: string
  /** Of the caller, in the organization. */
  membership: string
  /** Of the caller, to the bare company; one to accept and one to decline. */
  invitation: string
  unwanted: string
  /** Of the device, in the log of its organization. */
  event: string
  /** Of the device, waiting. */
  backupJob: string
  snapshot: string
  /** Of the device, open. */
  unusualChange: string
  /** Waits for its device. */
  restore: string
  /** Of the appliance, waiting to be sent. */
  mail: string
  /** Of the appliance, one that has failed. */
  task: string
}
/** With those of any other collection: what its own endpoint created. */
export type Ids = NamedIds & Record<`/${string}`, string>

const idByCollection: Record<string, keyof NamedIds> = {
  '/orgs/organizations': 'org',
  '/orgs/sites': 'bareSite',
  '/orgs/partners': 'bareCompany',
  '/devices': 'device',
  '/enrollment-keys': 'key',
  '/api-keys': 'apiKey',
  '/configuration-policies': 'policy',
  '/device-groups': 'group',
  '/devices/groups': 'olderGroup',
  '/sso/providers': 'provider',
  '/sso/domains': 'domain',
  '/sso/identities': 'identity',
  '/users': 'user',
  '/roles': 'role',
  '/auth/passkeys': 'passkey',
  '/auth/sessions': 'session',
  '/auth/memberships': 'membership',
  '/auth/invitations': 'invitation',
  '/audit-logs/logs': 'event',
  '/system/mail': 'mail',
  '/system/tasks': 'task',
  '/backup/jobs': 'backupJob',
  '/backup/snapshots': 'snapshot',
  '/backup/unusual-changes': 'unusualChange',
  '/backup/restore': 'restore',
}
/** Of what is there once, and gone after one of the calls. */
const idByEndpoint: Record<string, keyof NamedIds> = { 'auth.invitation-decline': 'unwanted' }
const idByName: Record<string, keyof NamedIds> = {
  orgId: 'org',
  partnerId: 'partner',
  deviceId: 'device',
  snapshotId: 'snapshot',
  agentId: 'agent',
  commandId: 'command',
  contactId: 'contact',
  jobId: 'mergeRun',
  linkId: 'policyLink',
  assignmentId: 'policyAssignment',
  providerId: 'staffProvider',
  olderId: 'snapshot',
}
/** Parameters that name nothing of a tenant. */
const plainParams: Record<string, string> = {
  name: 'sessions.prune',
  platform: 'windows',
  token: 'token',
  downloadId: '0b9c1d52-5a0e-4c3b-9a52-1f6d0c7e8a11',
  component: 'restic',
  version: '0.18.0',
}

const collectionOf = ({ path }: Endpoint) => path.slice(0, path.indexOf('/:')) as `/${string}`

/** Endpoints that create one of a collection for which there is no id above. */
export const createsOther = forUsers.filter(
  ({ method, path }) =>
    method === 'POST' && !(path in idByCollection) && forUsers.some((one) => one.path === `${path}/:id`),
)

/** Values for the parameters of a path; a parameter nobody has told us about fails the walk. */
export function paramsOf(endpoint: Endpoint, ids: Ids): Record<string, string> {
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  return Object.fromEntries(
    names.map((name) => {
      const collection = collectionOf(endpoint)
      const ofCollection = name === 'id' ? (idByCollection[collection] ?? collection) : undefined
      const kind = idByEndpoint[endpoint.name] ?? idByName[name] ?? ofCollection
      const value = kind ? ids[kind] : plainParams[name]
      if (value === undefined) throw new Error(`${endpoint.name}: tell test/contract/kit.ts what :${name} stands for`)
      return [name, value]
    }),
  )
}

/** Belongs to the appliance and to no company. */
export const isOfPlatform = ({ access }: Endpoint) => access.who === 'user' && access.platformAdmin === true

/** For administrators of the platform; no user of a company may call it. */
export const isAboveCompanies = ({ access }: Endpoint) => access.who === 'user' && !access.scopes.includes('partner')

export const namesTenantData = (endpoint: Endpoint) =>
  [...endpoint.path.matchAll(/:(\w+)/g)].some(([, name = '']) => !(name in plainParams))

const idFields: Record<string, keyof NamedIds> = {
  snapshotId: 'snapshot',
  // Into itself: nothing is merged while a walk goes on.
  survivorId: 'org',
  orgId: 'org',
  organizationId: 'org',
  orgIds: 'org',
  siteId: 'site',
  siteIds: 'site',
  partnerId: 'partner',
  parentRoleId: 'role',
  roleId: 'role',
  userId: 'invited',
  deviceId: 'device',
  deviceIds: 'device',
}
/** What a person would write where any text would do for the contract. */
const meant: Record<string, unknown> = {
  currentPassword: password,
  password: 'violet-Lantern-42-orchard',
  newPassword: 'violet-Lantern-42-orchard',
  domain: 'sample.test',
  // There is no such name, anywhere.
  credentials: { baseUrl: 'https://desk.invalid', companyId: 'acme', publicKey: 'public', privateKey: 'private' },
}
/** The fields of a body or query that name something of a tenant. */
export const idFieldsOf = (schema: z.ZodType | undefined) =>
  Object.entries(shapeOf(schema)).flatMap(([field, inner]) => {
    const kind = idFields[field]
    const isList = inner.safeParse([randomUUID()]).success
    return kind ? [{ field, kind, asSent: (id: string) => (isList ? [id] : id) }] : []
  })

/** The smallest body that asks for something. Pairs that exclude each other are why it is not the fullest one. */
export function bodyOf(endpoint: Endpoint, ids: Ids): unknown {
  if (!endpoint.body) return undefined
  const body = sample(endpoint.body)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fields = body as Record<string, unknown>
  const [first] = Object.entries(shapeOf(endpoint.body))
  if (Object.keys(fields).length === 0 && first) fields[first[0]] = sample(first[1])
  // Which organization is meant may be left out only by those who have one.
  for (const { field, kind, asSent } of idFieldsOf(endpoint.body))
    if (field in fields || field === 'orgId') fields[field] = asSent(ids[kind])
  for (const [field, value] of Object.entries(meant)) if (field in fields) fields[field] = value
  // Its role is one of the company, so that is where somebody is invited.
  if (endpoint.name === 'users.invite') delete fields.orgId
  // Where the device is not yet.
  if (endpoint.name.startsWith('devices.move')) fields.siteId = ids.bareSite
  // What it is based on would have to be there.
  if (endpoint.name.startsWith('configuration-policies.feature-')) {
    delete fields.featurePolicyId
    fields.inlineSettings = { backupMode: 'system_image', targets: { includeSystemState: false } }
  }
  if (endpoint.name === 'configuration-policies.assign') fields.targetId = ids.device
  askAboutBackups(endpoint, fields, ids)
  // A row of a file names its organization itself.
  if (endpoint.name.startsWith('contacts.import')) fields.rows = [{ name: 'Sample1a', organizationId: ids.org }]
  return fields
}

function askAboutBackups({ name }: Endpoint, fields: Record<string, unknown>, ids: Ids): void {
  // Of the paths no schema tells that they are full ones.
  if (name.startsWith('backup-profiles.') && 'selections' in fields)
    fields.selections = { file: { enabled: true, paths: ['/srv'] } }
  if (name === 'backup-snapshots.apply-immutability') fields.immutableDays = 30
  // Without material, which comes in two fields, the appliance makes the new key itself.
  if (name === 'backup-keys.rotate') delete fields.newKeyHash
  // What a second copy needs depends on its place, which no schema tells.
  if (name === 'backup-vaults.create')
    Object.assign(fields, { place: 'device', configId: undefined, deviceId: ids.device, vaultPath: '/srv/copies' })
  if (name === 'backup-vaults.update' && 'vaultPath' in fields) fields.vaultPath = '/srv/copies'
  if (name === 'backup-keys.confirm-recovery-sheet') fields.keyIds = [ids['/backup/encryption/keys']]
}

/** What an answer needs to be told; for the older address of device groups in a way no schema tells. */
export function queryOf({ name }: Endpoint, ids: Ids): Record<string, string> {
  if (name === 'device-groups-legacy.list') return { orgId: ids.org }
  if (/^backup-(configs|keys|maintenance|readiness|reports|sla|usage|vaults|verification)\./.test(name))
    return { orgId: ids.org ?? '' }
  if (name === 'agents.component') return { platform: 'linux-amd64' }
  if (name === 'search.everything') return { q: 'a' }
  if (name === 'configuration-policies.assignments-of-target') return { level: 'device', targetId: ids.device }
  if (name === 'devices.presence') return { deviceIds: ids.device }
  return name === 'audit-log.search' ? { q: 'sample' } : {}
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
  const { params, query, body, token, payload, remoteAddress } = request
  const file = endpoint.fileLimit && body === undefined && payload === undefined ? formWith(tinyPng) : undefined
  const headers = { ...file?.headers, ...request.headers }
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
    ...(file && { payload: file.payload }),
    ...(remoteAddress && { remoteAddress }),
  })
  const isJson = String(response.headers['content-type']).includes('json')
  return { status: response.statusCode, text: response.body, body: isJson ? response.json() : null, response }
}
