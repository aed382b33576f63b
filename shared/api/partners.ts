import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { emailAddress, ianaTimeZone, instant, jsonObject, name255 } from '../fields.ts'

export const partner = z.object({
  id: z.uuid(),
  name: z.string(),
  slug: z.string(),
  type: z.enum(['msp', 'enterprise', 'internal']),
  plan: z.enum(['free', 'starter', 'community', 'pro', 'enterprise', 'unlimited']),
  status: z.enum(['pending', 'active', 'suspended', 'churned', 'offboarding']),
  maxOrganizations: z.int().nullable(),
  maxDevices: z.int().nullable(),
  settings: jsonObject,
  billingEmail: z.string().nullable(),
  serviceManagementMode: z.enum(['native', 'external', 'off']),
  serviceManagementPsaConnectionId: z.string().nullable(),
  timezone: z.string(),
  currencyCode: z.string(),
  offboardingStartedAt: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
})
export type Partner = z.infer<typeof partner>

const timeOfDay = z.string().max(10)
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

export const partnerSettings = z.object({
  timezone: ianaTimeZone.optional(),
  dateFormat: z.enum(['MM/DD/YYYY', 'DD/MM/YYYY', 'YYYY-MM-DD']).optional(),
  timeFormat: z.enum(['12h', '24h']).optional(),
  language: z.enum(['en']).optional(),
  businessHours: z
    .object({
      preset: z.enum(['24/7', 'business', 'extended', 'custom']).optional(),
      custom: z
        .record(z.string().max(20), z.object({ start: timeOfDay, end: timeOfDay, closed: z.boolean().optional() }))
        .optional(),
    })
    .optional(),
  contact: z
    .object({
      name: z.string().max(255).optional(),
      email: z.union([z.literal(''), emailAddress]).optional(),
      phone: z.string().max(64).optional(),
      website: webAddress.optional(),
    })
    .optional(),
  security: securitySettings.optional(),
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
  }),
  reply: partner,
  audit: 'partner.settings.update',
})

/** People are counted once; the caller is one of them. */
export const previewSecurity = endpoint({
  name: 'partners.preview-security',
  method: 'POST',
  path: '/orgs/partners/me/security/preview',
  summary: 'Whom a change of the security settings would hit at once; refuses what saving it would, and writes nothing',
  access: userAccess('organizations:write', { scopes: ['partner'] }),
  body: securitySettings,
  reply: z.object({
    /** People who have no second factor and would need one from now on. */
    withoutFactor: z.int(),
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
  summary: 'How the own company stands; answers while it is not active',
  access: userAccess(undefined, { scopes: ['partner', 'organization'], evenIf: ['partner-inactive'] }),
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
