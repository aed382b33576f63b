import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { cap, instant, jsonObject, lineOfText, name255 } from '../fields.ts'
import { paged, pageQuery } from '../paging.ts'
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
})
export type Organization = z.infer<typeof organization>
export const organizationRow = organization.extend({ deviceCount: z.int() })

const orgParams = z.object({ id: z.string() })
/** Free to use, but for what the server itself goes by. */
const organizationSettings = z.looseObject({ security: securitySettings.loose().optional() })
const writableFields = {
  type: organizationType.optional(),
  maxDevices: cap.nullable().optional(),
  contractStart: dateText.nullable().optional(),
  contractEnd: dateText.nullable().optional(),
  settings: organizationSettings.optional(),
  ssoConfig: jsonObject.nullable().optional(),
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
  query: z.object({ ...pageQuery, partnerId: z.uuid().optional(), search: z.string().max(255).optional() }),
  reply: paged(organizationRow),
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
    partnerId: z.uuid().optional(),
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

export const updateOrganization = endpoint({
  name: 'organizations.update',
  method: 'PATCH',
  path: '/orgs/organizations/:id',
  summary: 'Change an organization; its lifecycle has endpoints of its own',
  access: userAccess('organizations:write', { scopes: ['partner', 'system'] }),
  params: orgParams,
  body: z.object({
    name: name255.optional(),
    slug: slug.optional(),
    status: z.enum(['active', 'suspended', 'trial']).optional(),
    ...writableFields,
  }),
  reply: organization,
  audit: 'organization.update',
})
