import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { ianaTimeZone, instant, jsonObject, name255, ok, pathId, small, uuid } from '../fields.ts'
import { paged, pageQuery, queryFlag } from '../paging.ts'

export const site = z.object({
  id: z.uuid(),
  orgId: z.uuid(),
  name: z.string(),
  address: z.unknown().nullable(),
  timezone: z.string(),
  contact: jsonObject.nullable(),
  settings: z.unknown().nullable(),
  createdAt: instant,
  updatedAt: instant,
})
export type Site = z.infer<typeof site>
export const siteRow = site.extend({ deviceCount: z.int() })

const contactLine = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^\P{Cc}*$/u, 'Must not contain control characters')
    .nullish()

/** `name`, `email` and `phone` are those of the site's primary contact; other keys are free. */
const siteContact = small(
  z.looseObject({
    name: contactLine(255),
    email: z.union([z.literal(''), z.email().max(320)]).nullish(),
    phone: contactLine(64),
  }),
)
  .nullable()
  .optional()
const siteFields = {
  address: small(z.unknown()).optional(),
  contact: siteContact,
  settings: small(z.unknown()).optional(),
}

export const listSites = endpoint({
  name: 'sites.list',
  method: 'GET',
  path: '/orgs/sites',
  summary: 'Sites in reach, paged; of one organization when it is named',
  access: userAccess('sites:read'),
  query: z.object({
    ...pageQuery,
    orgId: uuid.optional(),
    organizationId: uuid.optional(),
    includeEnrollmentDefaults: queryFlag.optional(),
  }),
  reply: paged(siteRow).extend({
    enrollmentDefaults: z.object({ ttlMinutes: z.int(), deviceCount: z.int(), maxTtlMinutes: z.int() }).optional(),
  }),
})

export const createSite = endpoint({
  name: 'sites.create',
  method: 'POST',
  path: '/orgs/sites',
  summary: 'Create a site',
  access: userAccess('sites:write'),
  body: z.object({ orgId: uuid, name: name255, timezone: ianaTimeZone.optional(), ...siteFields }),
  status: 201,
  reply: site,
  audit: 'site.create',
})

export const readSite = endpoint({
  name: 'sites.read',
  method: 'GET',
  path: '/orgs/sites/:id',
  summary: 'One site',
  access: userAccess('sites:read'),
  params: z.object({ id: pathId }),
  reply: site,
})

export const updateSite = endpoint({
  name: 'sites.update',
  method: 'PATCH',
  path: '/orgs/sites/:id',
  summary: 'Change a site',
  access: userAccess('sites:write'),
  params: z.object({ id: pathId }),
  body: z.object({ name: name255.optional(), timezone: ianaTimeZone.optional(), ...siteFields }),
  reply: site,
  audit: 'site.update',
})

export const deleteSite = endpoint({
  name: 'sites.delete',
  method: 'DELETE',
  path: '/orgs/sites/:id',
  summary: 'Delete a site without devices, and the contacts pinned to it; its enrollment keys expire',
  access: userAccess('sites:write'),
  params: z.object({ id: pathId }),
  reply: ok,
  audit: 'site.delete',
})
