import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { cap, instant, jsonObject, lineOfText, name255, ok, pathId, small, uuid } from '../fields.ts'
import { isRecord } from '../objects.ts'
import { paged, pageQuery, searchText } from '../paging.ts'
import { contactWays } from './contacts.ts'
import { securitySettings } from './partners.ts'

export const organizationStatus = z.enum([
  'active',
  'suspended',
  'trial',
  'churned',
  'offboarding',
  'merging',
  'archived',
  'purging',
])
const organizationType = z.enum(['customer', 'internal'])
const dateText = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()])
  .transform((text) => new Date(text).toISOString())

export const organization = z.object({
  id: z.uuid(),
  partnerId: z.uuid(),
  name: z.string(),
  slug: z.string(),
  type: organizationType,
  status: organizationStatus,
  maxDevices: z.int().nullable(),
  settings: jsonObject,
  ssoConfig: jsonObject.nullable(),
  contractStart: instant.nullable(),
  contractEnd: instant.nullable(),
  billingContact: jsonObject.nullable(),
  currencyCode: z.string(),
  offboardingStartedAt: instant.nullable(),
  offboardingTarget: z.enum(['churn', 'archive']),
  archivedAt: instant.nullable(),
  purgeAt: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
  deletedAt: instant.nullable(),
  /** There while it is archived or on its way to it. */
  archived: z.literal(true).optional(),
})
export type Organization = z.infer<typeof organization>
export const organizationRow = organization.extend({ deviceCount: z.int() })

/** Groups of settings in which what the company has set holds for its organizations. */
export const sharedSettings = ['security', 'notifications', 'eventLogs', 'defaults', 'branding'] as const

const orgParams = z.object({ id: pathId })
/** Free to use, but for what the server itself goes by. */
const organizationSettings = small(z.looseObject({ security: securitySettings.loose().optional() }))
const writableFields = {
  type: organizationType.optional(),
  maxDevices: cap.nullable().optional(),
  contractStart: dateText.nullable().optional(),
  contractEnd: dateText.nullable().optional(),
  settings: organizationSettings.nullable().optional(),
  ssoConfig: small(jsonObject).nullable().optional(),
  /** Becomes a contact of the organization with the role `billing`. */
  billingContact: z.object(contactWays).nullable().optional(),
}
const slug = lineOfText(100)

export const listOrganizationTree = endpoint({
  name: 'organizations.tree',
  method: 'GET',
  path: '/orgs',
  summary: 'All organizations in reach, by name',
  access: userAccess('organizations:read'),
  reply: z.object({ data: z.array(organization) }),
})

export const listOrganizations = endpoint({
  name: 'organizations.list',
  method: 'GET',
  path: '/orgs/organizations',
  summary: 'Organizations in reach, in the preferred order, paged',
  access: userAccess('organizations:read', { scopes: ['partner', 'system'] }),
  query: z.object({
    ...pageQuery,
    /** System scope only. */
    partnerId: uuid.optional(),
    search: searchText.optional(),
    /** Adds archived ones to the last page, outside of its `limit` and of `total`. */
    includeArchived: z.enum(['true', 'false']).optional(),
  }),
  reply: paged(organizationRow).extend({ archivedTruncated: z.boolean().optional() }),
})

export const orderOrganizations = endpoint({
  name: 'organizations.order',
  method: 'PATCH',
  path: '/orgs/organizations/order',
  summary: 'Save the order a company prefers its organizations in; those left out come last, oldest first',
  access: userAccess('organizations:write', { scopes: ['partner', 'system'] }),
  /** System scope has to name the company. */
  query: z.object({ partnerId: uuid.optional() }),
  body: z.object({ orderedIds: z.array(uuid).max(10_000) }),
  reply: z.object({ organizationOrder: z.array(z.uuid()) }),
  audit: 'partner.organizationOrder.update',
})

export const createOrganization = endpoint({
  name: 'organizations.create',
  method: 'POST',
  path: '/orgs/organizations',
  summary: 'Create an organization',
  access: userAccess('organizations:write', { scopes: ['partner', 'system'] }),
  body: z.object({
    name: name255,
    slug,
    partnerId: uuid.optional(),
    status: z.enum(['active', 'suspended', 'trial', 'churned']).optional(),
    ...writableFields,
  }),
  status: 201,
  reply: organization,
  audit: 'organization.create',
})

export const readOrganization = endpoint({
  name: 'organizations.read',
  method: 'GET',
  path: '/orgs/organizations/:id',
  summary: 'One organization',
  access: userAccess('organizations:read', { scopes: ['partner', 'system'] }),
  params: orgParams,
  reply: organization,
})

const startsDrain = (body: unknown) => isRecord(body) && body.status === 'offboarding'
/** Members of the partner who passed a second factor. */
const drainAccess = userAccess('organizations:write', { scopes: ['partner'], mfa: 'strict' })

export const updateOrganization = endpoint({
  name: 'organizations.update',
  method: 'PATCH',
  path: '/orgs/organizations/:id',
  summary: 'Change an organization; a new status takes effect immediately, and closing requires a second factor',
  access: userAccess('organizations:write', { scopes: ['partner', 'system'] }),
  stricter: (body) => (startsDrain(body) ? drainAccess : null),
  params: orgParams,
  body: z.object({
    name: name255.optional(),
    slug: slug.optional(),
    status: z.enum(['active', 'suspended', 'trial', 'churned', 'offboarding']).optional(),
    ...writableFields,
  }),
  reply: organization,
  audit: 'organization.update',
})

export const replaceOrganization = endpoint({
  ...updateOrganization,
  name: 'organizations.replace',
  method: 'PUT',
  summary: 'The same as PATCH: what is left out stays as it is',
})

export const deleteOrganization = endpoint({
  name: 'organizations.remove',
  method: 'DELETE',
  path: '/orgs/organizations/:id',
  summary: 'Delete an organization: its agents and keys stop, what it has stays on record, its slug stays reserved',
  access: userAccess('organizations:write', { scopes: ['partner', 'system'] }),
  params: orgParams,
  reply: ok,
  audit: 'organization.delete',
})

export const effectiveSettings = endpoint({
  name: 'organizations.effective-settings',
  method: 'GET',
  path: '/orgs/organizations/:id/effective-settings',
  summary:
    'The settings in force: those of the company, and of the organization where the company leaves it the choice',
  access: userAccess('organizations:read'),
  params: orgParams,
  reply: z.object({
    effective: z.record(z.enum(sharedSettings), jsonObject),
    /** What the organization can not change, as `security.requireMfa`. */
    locked: z.array(z.string()),
  }),
})
