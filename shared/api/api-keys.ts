import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, name255, pathId, uuid } from '../fields.ts'
import { keysOf } from '../objects.ts'
import { paged, pageQuery, searchText } from '../paging.ts'
import { covers, type Grant } from '../permissions.ts'

const can = (action: string, ...resources: string[]): readonly Grant[] =>
  resources.map((resource) => ({ resource, action }))
const aiResources = ['devices', 'alerts', 'scripts', 'automations']

/** What a key can be for, and the permissions that its maker needs and the key gets. */
export const apiKeyScopes = {
  'devices:read': can('read', 'devices'),
  'devices:write': can('write', 'devices'),
  'devices:execute': can('execute', 'devices'),
  'scripts:read': can('read', 'scripts'),
  'scripts:write': can('write', 'scripts'),
  'scripts:execute': can('execute', 'scripts'),
  'alerts:read': can('read', 'alerts'),
  'alerts:write': can('write', 'alerts'),
  'reports:read': can('read', 'reports'),
  'reports:write': can('write', 'reports'),
  'users:read': can('read', 'users'),
  'ai:read': can('read', ...aiResources),
  'ai:write': can('write', ...aiResources),
  'ai:execute': can('execute', 'devices', 'scripts'),
  'ai:execute_admin': can('*', '*'),
} as const satisfies Record<string, readonly Grant[]>
export type ApiKeyScope = keyof typeof apiKeyScopes
export const supportedScopes = keysOf(apiKeyScopes)

export const grantsOf = (scopes: readonly ApiKeyScope[]): readonly Grant[] =>
  scopes.flatMap((scope): readonly Grant[] => apiKeyScopes[scope])

/** Who makes a key, or stands behind one. */
export interface KeyHolder {
  grants: readonly Grant[]
  /** False for a user of only some organizations of a company: no role lets them manage people. */
  maySeePeople: boolean
}

/** The first permission behind the scopes that is not held. */
export const missingFor = (scopes: readonly ApiKeyScope[], { grants, maySeePeople }: KeyHolder): Grant | undefined =>
  grantsOf(scopes).find(
    (wanted) => !grants.some((held) => covers(held, wanted)) || (!maySeePeople && isAboutPeople(wanted)),
  )

const isAboutPeople = ({ resource }: Grant) => resource === 'users' || resource === '*'

export const apiKeyStatus = z.enum(['active', 'revoked', 'expired'])
export type ApiKeyStatus = z.infer<typeof apiKeyStatus>

/** Why calls with an active key are refused: its creator or its organization can not do now what it is for. */
export const apiKeyProblem = z.enum([
  'creator_inactive',
  'creator_without_access',
  'creator_lacks_permission',
  'organization_inactive',
])
export type ApiKeyProblem = z.infer<typeof apiKeyProblem>

export const apiKey = z.object({
  id: z.uuid(),
  orgId: z.uuid(),
  orgName: z.string(),
  name: z.string(),
  /** The first characters of the key, to tell one from another. */
  keyPrefix: z.string(),
  scopes: z.array(z.enum(supportedScopes)),
  expiresAt: instant.nullable(),
  lastUsedAt: instant.nullable(),
  usageCount: z.int(),
  /** Calls in an hour. */
  rateLimit: z.int(),
  createdBy: z.uuid(),
  createdByName: z.string(),
  status: apiKeyStatus,
  problem: apiKeyProblem.nullable(),
  source: z.literal('manual'),
  createdAt: instant,
  updatedAt: instant,
})
export type ApiKey = z.infer<typeof apiKey>
/** The key itself is in these answers and nowhere else. */
const withKey = apiKey.extend({ key: z.string(), warning: z.string() })

/** What a new key gets unless told, and may get at most; calls in an hour. */
export const apiKeyRates = { default: 1000, max: 100_000 }

const fields = {
  name: name255,
  /** Known to the service and not to the shape: what is unknown is answered with those there are. */
  scopes: z.array(z.string().max(100)).max(100),
  rateLimit: z.int().min(1).max(apiKeyRates.max),
}
const keyParams = z.object({ id: pathId })
const read = userAccess('organizations:read')
const write = userAccess('organizations:write', { mfa: 'session' })

export const listApiKeys = endpoint({
  name: 'api-keys.list',
  method: 'GET',
  path: '/api-keys',
  summary: 'API keys, newest first',
  access: read,
  query: z.object({
    ...pageQuery,
    orgId: uuid.optional(),
    status: apiKeyStatus.optional(),
    /** Of the name, or the first characters of the key. */
    search: searchText.trim().optional(),
  }),
  reply: paged(apiKey).extend({
    /** The caller works for more than one organization. */
    isAdmin: z.boolean(),
  }),
})

export const createApiKey = endpoint({
  name: 'api-keys.create',
  method: 'POST',
  path: '/api-keys',
  summary:
    'Create an API key that does for one organization what its creator may; the key is shown once. Scopes that open nothing are refused',
  access: write,
  body: z.object({
    orgId: uuid,
    name: fields.name,
    scopes: fields.scopes.default([]),
    expiresAt: z.iso.datetime({ offset: true }).nullable().optional(),
    rateLimit: fields.rateLimit.optional(),
  }),
  status: 201,
  reply: withKey,
  audit: 'api_key.create',
})

export const readApiKey = endpoint({
  name: 'api-keys.read',
  method: 'GET',
  path: '/api-keys/:id',
  summary: 'One API key, without its secret',
  access: read,
  params: keyParams,
  reply: apiKey,
})

export const updateApiKey = endpoint({
  name: 'api-keys.update',
  method: 'PATCH',
  path: '/api-keys/:id',
  summary: 'Rename an API key, or change what it is for',
  access: write,
  params: keyParams,
  body: z.object(fields).partial(),
  reply: apiKey,
  audit: 'api_key.update',
})

export const revokeApiKey = endpoint({
  name: 'api-keys.revoke',
  method: 'DELETE',
  path: '/api-keys/:id',
  summary: 'Revoke an API key permanently; its record stays',
  access: write,
  params: keyParams,
  reply: z.object({
    success: z.literal(true),
    message: z.string(),
    apiKey: apiKey.pick({ id: true, name: true, keyPrefix: true, status: true, updatedAt: true }),
  }),
  audit: 'api_key.revoke',
})

export const rotateApiKey = endpoint({
  name: 'api-keys.rotate',
  method: 'POST',
  path: '/api-keys/:id/rotate',
  summary: 'Rotate the key: the old one stops working immediately',
  access: write,
  params: keyParams,
  reply: withKey,
  audit: 'api_key.rotate',
})
