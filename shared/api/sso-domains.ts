import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, uuid } from '../fields.ts'

/** Domains that an organization has proven to own, by a record in DNS. */

const record = { recordName: z.string(), recordValue: z.string() }
const verifiedDomain = z.object({
  id: z.uuid(),
  domain: z.string(),
  verified: z.boolean(),
  verifiedAt: instant.nullable(),
  lastCheckedAt: instant.nullable(),
  createdAt: instant,
  ...record,
})
export type VerifiedDomain = z.infer<typeof verifiedDomain>

const write = userAccess('organizations:write', { or: 'sso:admin', mfa: 'strict' })
const params = z.object({ id: uuid })
const query = z.object({ orgId: uuid.optional() })

export const listSsoDomains = endpoint({
  name: 'sso.domains',
  method: 'GET',
  path: '/sso/domains',
  summary: 'Domains of an organization with their DNS records',
  access: userAccess(),
  query,
  reply: z.object({ data: z.array(verifiedDomain) }),
})

export const addSsoDomain = endpoint({
  name: 'sso.add-domain',
  method: 'POST',
  path: '/sso/domains',
  summary: 'Add a domain to verify; adding it again returns the same record',
  access: write,
  query,
  body: z.object({ domain: z.string().trim().min(1).max(253), orgId: uuid.optional() }),
  status: 201,
  reply: z.object({ data: z.object({ id: z.uuid(), domain: z.string(), verified: z.boolean(), ...record }) }),
  audit: 'sso.domain.create',
})

export const verifySsoDomain = endpoint({
  name: 'sso.verify-domain',
  method: 'POST',
  path: '/sso/domains/:id/verify',
  summary: 'Look for the record in DNS now',
  access: write,
  params,
  reply: z.object({
    data: z.object({ verified: z.boolean(), reason: z.enum(['txt_not_found', 'not_found']).optional() }),
  }),
  audit: 'sso.domain.verify',
})

export const deleteSsoDomain = endpoint({
  name: 'sso.delete-domain',
  method: 'DELETE',
  path: '/sso/domains/:id',
  summary: 'Remove a domain',
  access: write,
  params,
  reply: z.object({ data: z.object({ deleted: z.literal(true) }) }),
  audit: 'sso.domain.delete',
})
