import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import {
  cap,
  dateFormat,
  emailAddress,
  ianaTimeZone,
  instant,
  jsonObject,
  name255,
  ok,
  pathId,
  small,
  timeFormat,
  uuid,
} from '../fields.ts'
import { paged, pageQuery } from '../paging.ts'

const type = z.enum(['msp', 'enterprise', 'internal'])
const plan = z.enum(['free', 'starter', 'community', 'pro', 'enterprise', 'unlimited'])
const status = z.enum(['pending', 'active', 'suspended', 'churned', 'offboarding'])
const serviceManagementMode = z.enum(['native', 'external', 'off'])

export const partner = z.object({
  id: z.uuid(),
  name: z.string(),
  slug: z.string(),
  type,
  plan,
  status,
  maxOrganizations: z.int().nullable(),
  maxDevices: z.int().nullable(),
  settings: jsonObject,
  billingEmail: z.string().nullable(),
  serviceManagementMode,
  serviceManagementPsaConnectionId: z.string().nullable(),
  timezone: z.string(),
  inboundLocalPart: z.string().nullable(),
  emailSignature: z.string().nullable(),
  currencyCode: z.string(),
  offboardingStartedAt: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
})
export type Partner = z.infer<typeof partner>

const webAddress = z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(500)])
const methods = z.object({ totp: z.boolean().optional(), sms: z.boolean().optional() })

export const securitySettings = z.object({
  /** Addresses and CIDR ranges; empty is off. The service judges each entry. */
  ipAllowlist: z.array(z.string().max(100)).max(1000).optional(),
  mfaEnrollmentGraceDays: z.int().min(0).max(30).optional(),
  requireMfa: z.boolean().optional(),
  allowedMfaMethods: methods.optional(),
  /** The public API's name of the same setting; it wins where both are sent. */
  allowedMethods: methods.optional(),
  minLength: z.int().min(6).max(128).optional(),
  complexity: z.enum(['standard', 'strict', 'passphrase']).optional(),
  expirationDays: z.int().min(0).optional(),
  sessionTimeout: z.int().min(1).optional(),
  maxSessions: z.int().min(1).optional(),
})
export type SecuritySettings = z.infer<typeof securitySettings>

const noTime = 'Write a time of day as HH:MM, from 00:00 to 23:59'
export const timeOfDay = z.iso.time({ precision: -1, error: noTime })
const openingTime = z
  .union([z.literal(''), timeOfDay], noTime)
  .meta({ description: 'HH:MM, from 00:00 to 23:59; may be empty on a day that is closed' })

/** An end before the start is on the next day, so that midnight is the end 00:00; both are never the same. */
const hoursOfDay = z
  .object({ start: openingTime, end: openingTime, closed: z.boolean().optional() })
  .superRefine(({ start, end, closed }, context) => {
    if (closed) return
    const issue = (field: 'start' | 'end', message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    if (start === '') issue('start', 'A day that is not closed needs a start')
    if (end === '') issue('end', 'A day that is not closed needs an end')
    if (start !== '' && start === end) issue('end', 'Must differ from the start; one before it is on the next day')
  })

const businessHours = z.object({
  preset: z.enum(['24/7', 'business', 'extended', 'custom']).optional(),
  custom: small(z.record(z.string().max(20), hoursOfDay)).optional(),
})
const contact = z.object({
  name: z.string().max(255).optional(),
  email: z.union([z.literal(''), emailAddress]).optional(),
  phone: z.string().max(64).optional(),
  website: webAddress.optional(),
})
const address = z.object({
  street1: z.string().max(255).optional(),
  street2: z.string().max(255).optional(),
  city: z.string().max(255).optional(),
  region: z.string().max(255).optional(),
  postalCode: z.string().max(32).optional(),
  country: z
    .string()
    .regex(/^([A-Za-z]{2})?$/, 'Two letters, as in DE')
    .optional(),
})

export const partnerSettings = z.object({
  timezone: ianaTimeZone.optional(),
  dateFormat: dateFormat.optional(),
  timeFormat: timeFormat.optional(),
  language: z.enum(['en']).optional(),
  businessHours: businessHours.optional(),
  /** Whom the operator of the appliance asks; never shown to anybody who has not signed in. */
  contact: contact.optional(),
  address: address.optional(),
  security: securitySettings.optional(),
  /** What is no organization of the partner is left out, and the others are added at the end. */
  organizationOrder: z.array(uuid).max(10_000).optional(),
})

/** Administrators of the platform may set more than the partner itself, such as `statusMessage`. */
const platformSettings = partnerSettings
  .extend({
    businessHours: businessHours.loose().optional(),
    contact: contact.loose().optional(),
    address: address.loose().optional(),
    security: securitySettings.loose().optional(),
  })
  .loose()

/** The connection counts for the mode `external` only, which needs one of the partner itself. */
const serviceManagement = {
  serviceManagementMode: serviceManagementMode.optional(),
  serviceManagementPsaConnectionId: uuid.nullable().optional(),
}
/** One label of an address, as the web and mail take it; compared without regard to case. */
const slug = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._~-]*$/, 'Letters, digits and . _ ~ - only, a letter or digit first')
const signature = z
  .string()
  .max(2000)
  .regex(/^[^\0]*$/, 'Must not contain NUL')
  .transform((text) => (text.trim() === '' ? null : text))

const writableFields = {
  type: type.optional(),
  plan: plan.optional(),
  maxOrganizations: cap.nullable().optional(),
  maxDevices: cap.nullable().optional(),
  billingEmail: emailAddress.nullable().optional(),
  settings: platformSettings.optional(),
  /** Kept encrypted and never answered. */
  ssoConfig: small(jsonObject).nullable().optional(),
  ...serviceManagement,
}
const partnerParams = z.object({ id: pathId })

export const listPartners = endpoint({
  name: 'partners.list',
  method: 'GET',
  path: '/orgs/partners',
  summary: 'All companies on the platform, oldest first, paged',
  access: userAccess('organizations:read', { scopes: ['system'] }),
  query: z.object(pageQuery),
  reply: paged(partner),
})

export const createPartner = endpoint({
  name: 'partners.create',
  method: 'POST',
  path: '/orgs/partners',
  summary: 'Create a company; it is active immediately',
  access: userAccess('organizations:write', { scopes: ['system'] }),
  body: z.object({ name: name255, slug, ...writableFields }),
  status: 201,
  reply: partner,
  audit: 'partner.create',
})

export const readPartner = endpoint({
  name: 'partners.read',
  method: 'GET',
  path: '/orgs/partners/:id',
  summary: 'One company',
  access: userAccess('organizations:read', { scopes: ['system'] }),
  params: partnerParams,
  reply: partner,
})

export const updatePartner = endpoint({
  name: 'partners.update',
  method: 'PATCH',
  path: '/orgs/partners/:id',
  summary: 'Change a company, its status included; settings are merged key by key',
  access: userAccess('organizations:write', { scopes: ['system'], mfa: 'strict' }),
  params: partnerParams,
  body: z.object({ name: name255.optional(), slug: slug.optional(), ...writableFields, status: status.optional() }),
  reply: partner,
  audit: 'partner.update',
})

export const removePartner = endpoint({
  name: 'partners.remove',
  method: 'DELETE',
  path: '/orgs/partners/:id',
  summary: 'Remove a company: its people are signed out and its agents disconnected; its slug stays reserved',
  access: userAccess('organizations:write', { scopes: ['system'] }),
  params: partnerParams,
  reply: ok,
  audit: 'partner.delete',
})

export const readOwnPartner = endpoint({
  name: 'partners.me',
  method: 'GET',
  path: '/orgs/partners/me',
  summary: 'The own company with its settings',
  access: userAccess('organizations:read', { scopes: ['partner'] }),
  reply: partner,
})

export const updateOwnPartner = endpoint({
  name: 'partners.update-me',
  method: 'PATCH',
  path: '/orgs/partners/me',
  summary: 'Change the own company; settings are merged key by key',
  access: userAccess('organizations:write', { scopes: ['partner'] }),
  body: z.object({
    name: name255.optional(),
    billingEmail: emailAddress.nullable().optional(),
    settings: partnerSettings.optional(),
    ...serviceManagement,
    emailSignature: signature.nullable().optional(),
    /** The part before the @ of the address that takes mail for the partner; the service judges it. */
    inboundLocalPart: z.string().max(255).nullable().optional(),
  }),
  reply: partner,
  audit: 'partner.settings.update',
})

/** People are counted once; the caller is one of them. */
export const previewSecurity = endpoint({
  name: 'partners.preview-security',
  method: 'POST',
  path: '/orgs/partners/me/security/preview',
  summary: 'People affected by a change of the security settings; validates like saving, and writes nothing',
  access: userAccess('organizations:write', { scopes: ['partner'] }),
  body: securitySettings,
  reply: z.object({
    /** People, also invited ones, who have no second factor and would need one from now on. */
    withoutFactor: z.int(),
    /** The first hundred of them by name; empty for callers who may not see people. */
    namesWithoutFactor: z.array(z.object({ name: z.string(), isInvited: z.boolean() })),
    /** People at work from addresses that the list would leave out. */
    shutOut: z.int(),
    /** Those addresses, at most twenty of them. */
    addresses: z.array(z.string()),
    isCallerShutOut: z.boolean(),
  }),
})
export type SecurityPreview = z.infer<typeof previewSecurity.reply>

export const ipAllowlistStatus = endpoint({
  name: 'partners.ip-allowlist-status',
  method: 'GET',
  path: '/orgs/partners/me/ip-allowlist/status',
  summary: 'The address this request came from, and whether the list can be and is in force',
  access: userAccess('organizations:read', { scopes: ['partner'] }),
  reply: z.object({
    currentIp: z.string().nullable(),
    proxyTrustOk: z.boolean(),
    enforced: z.boolean(),
    active: z.boolean(),
  }),
})

export const partnerStanding = endpoint({
  name: 'partners.standing',
  method: 'GET',
  path: '/partner/me',
  summary: 'Status of the own company; works while it is not active',
  access: userAccess(undefined, { scopes: ['partner', 'organization'], evenIf: ['partner-inactive', 'closed'] }),
  reply: z.object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    status: z.string(),
    statusMessage: z.string().nullable(),
    statusActionUrl: z.string().nullable(),
    statusActionLabel: z.string().nullable(),
  }),
})
