import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, jsonObject, name255, ok, pathId, small, uuid } from '../fields.ts'
import { paged, pageQuery } from '../paging.ts'

export const psaProvider = z.enum(['connectwise', 'autotask', 'servicenow', 'freshservice', 'zendesk', 'jira'])
export type PsaProvider = z.infer<typeof psaProvider>
export const psaStatus = z.enum(['active', 'paused', 'error'])

/** What a connection needs besides `baseUrl`: all keys of one of these sets. */
export const psaCredentialSets: Record<PsaProvider, readonly (readonly string[])[]> = {
  connectwise: [['companyId', 'publicKey', 'privateKey']],
  autotask: [['username', 'secret', 'integrationCode']],
  servicenow: [['username', 'password']],
  freshservice: [['apiKey']],
  zendesk: [['email', 'apiToken']],
  jira: [['email', 'apiToken'], ['username', 'password'], ['personalAccessToken']],
}

export const psaConnection = z.object({
  id: z.uuid(),
  orgId: z.uuid().nullable(),
  ownerScope: z.enum(['organization', 'partner']),
  provider: psaProvider,
  name: z.string(),
  status: psaStatus,
  settings: jsonObject,
  hasCredentials: z.boolean(),
  createdAt: instant,
  updatedAt: instant,
  lastTestedAt: instant.nullable(),
  lastSyncedAt: instant.nullable(),
})
export type PsaConnection = z.infer<typeof psaConnection>

const credentials = small(z.record(z.string(), z.string()))
const credentialChanges = small(z.record(z.string(), z.string().nullable()))
const settings = small(jsonObject)

const read = userAccess('organizations:read')
const write = userAccess('organizations:write', { mfa: 'strict' })
const params = z.object({ id: pathId })

export const listPsaConnections = endpoint({
  name: 'psa.list',
  method: 'GET',
  path: '/psa/connections',
  summary: 'Connections to ticket systems in reach, the last changed first',
  access: read,
  query: z.object({ ...pageQuery, orgId: uuid.optional(), provider: psaProvider.optional() }),
  reply: paged(psaConnection),
})

export const createPsaConnection = endpoint({
  name: 'psa.create',
  method: 'POST',
  path: '/psa/connections',
  summary: 'Create a connection to a ticket system; its credentials are never returned',
  access: write,
  body: z.object({
    ownerScope: z.enum(['organization', 'partner']).optional(),
    orgId: uuid.optional(),
    provider: psaProvider,
    name: name255,
    credentials,
    settings: settings.optional(),
  }),
  status: 201,
  reply: psaConnection,
  audit: 'psa.connection.create',
})

export const readPsaConnection = endpoint({
  name: 'psa.read',
  method: 'GET',
  path: '/psa/connections/:id',
  summary: 'One connection to a ticket system',
  access: read,
  params,
  reply: z.object({ data: psaConnection }),
})

export const updatePsaConnection = endpoint({
  name: 'psa.update',
  method: 'PATCH',
  path: '/psa/connections/:id',
  summary:
    'Change a connection; credentials and settings are merged key by key, a null takes a credential away; another server takes all of them anew',
  access: write,
  params,
  body: z.object({
    name: name255.optional(),
    credentials: credentialChanges.optional(),
    settings: settings.optional(),
  }),
  reply: psaConnection,
  audit: 'psa.connection.update',
})

export const setPsaStatus = endpoint({
  name: 'psa.set-status',
  method: 'POST',
  path: '/psa/connections/:id/status',
  summary: 'Pause or resume a connection',
  access: write,
  params,
  body: z.object({ status: psaStatus }),
  reply: z.object({ success: z.literal(true), status: psaStatus }),
  audit: 'psa.connection.status.update',
})

export const testPsaConnection = endpoint({
  name: 'psa.test',
  method: 'POST',
  path: '/psa/connections/:id/test',
  summary: 'Test the credentials with the ticket system',
  access: write,
  params,
  reply: z.discriminatedUnion('success', [
    z.object({ success: z.literal(true), message: z.string() }),
    z.object({ success: z.literal(false), error: z.string() }),
  ]),
  audit: 'psa.connection.test',
})

export const syncPsaConnection = endpoint({
  name: 'psa.sync',
  method: 'POST',
  path: '/psa/connections/:id/sync',
  summary: 'Not offered: tickets are not exchanged yet',
  access: write,
  params,
  reply: z.null(),
})

export const deletePsaConnection = endpoint({
  name: 'psa.delete',
  method: 'DELETE',
  path: '/psa/connections/:id',
  summary: 'Remove a connection that the service management does not use',
  access: write,
  params,
  reply: ok,
  audit: 'psa.connection.delete',
})
