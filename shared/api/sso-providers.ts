import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, name255, ok, uuid } from '../fields.ts'

/** Identity providers of an organization or of a whole company. */

export const ssoProviderType = z.enum(['oidc', 'saml'])
export const ssoProviderStatus = z.enum(['active', 'inactive', 'testing'])
export type SsoProviderStatus = z.infer<typeof ssoProviderStatus>
/** `private-allowlisted`: the operator of the appliance lets it reach this provider in the own network. */
export const ssoNetwork = z.enum(['public', 'private-allowlisted'])

const attributeMapping = z.object({
  email: z.string(),
  name: z.string(),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  groups: z.string().optional(),
})
export type AttributeMapping = z.infer<typeof attributeMapping>

const preset = z.object({
  id: z.string(),
  name: z.string(),
  type: ssoProviderType,
  scopes: z.string(),
  attributeMapping,
  issuerTemplate: z.string().optional(),
  authorizationUrl: z.string().optional(),
  tokenUrl: z.string().optional(),
  userInfoUrl: z.string().optional(),
  metadataUrlTemplate: z.string().optional(),
  ssoUrlTemplate: z.string().optional(),
  certificateInstructions: z.string().optional(),
})
export type SsoPreset = z.infer<typeof preset>

const listed = z.object({
  id: z.uuid(),
  name: z.string(),
  type: ssoProviderType,
  status: ssoProviderStatus,
  issuer: z.string().nullable(),
  autoProvision: z.boolean(),
  enforceSSO: z.boolean(),
  trustsIdpMfa: z.boolean(),
  network: ssoNetwork,
  createdAt: instant,
  /** Only in the list of a company. */
  partnerId: z.uuid().optional(),
})
export type ListedSsoProvider = z.infer<typeof listed>

export const ssoProvider = z.object({
  id: z.uuid(),
  orgId: z.uuid().nullable(),
  partnerId: z.uuid().nullable(),
  name: z.string(),
  type: ssoProviderType,
  status: ssoProviderStatus,
  issuer: z.string().nullable(),
  clientId: z.string().nullable(),
  hasClientSecret: z.boolean(),
  authorizationUrl: z.string().nullable(),
  tokenUrl: z.string().nullable(),
  userInfoUrl: z.string().nullable(),
  jwksUrl: z.string().nullable(),
  scopes: z.string(),
  entityId: z.string().nullable(),
  ssoUrl: z.string().nullable(),
  certificate: z.string().nullable(),
  attributeMapping,
  autoProvision: z.boolean(),
  defaultRoleId: z.uuid().nullable(),
  defaultRoleConfiguredBy: z.uuid().nullable(),
  allowedDomains: z.string().nullable(),
  enforceSSO: z.boolean(),
  trustsIdpMfa: z.boolean(),
  configVersion: z.int(),
  discoveryError: z.string().nullable(),
  network: ssoNetwork,
  createdBy: z.uuid().nullable(),
  createdAt: instant,
  updatedAt: instant,
})
export type SsoProvider = z.infer<typeof ssoProvider>

/** Why the default role is given to nobody at the moment. */
export const defaultRoleProblem = z.enum([
  'default_role_missing',
  'default_role_configurer_unknown',
  'default_role_configurer_inactive',
  'default_role_configurer_no_permissions',
  'default_role_exceeds_configurer_permissions',
])
export type DefaultRoleProblem = z.infer<typeof defaultRoleProblem>

/** What was saved although something is not as it should be. */
const warnings = z
  .array(
    z.object({
      code: z.enum(['oidc_discovery_failed', 'client_secret_cleared', 'provider_incomplete']),
      message: z.string(),
    }),
  )
  .optional()

/** Text that may be emptied: "" and null are the same. */
const clearable = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .regex(/^\P{Cc}*$/u, 'Must not contain control characters')
    .transform((text) => text || null)
    .nullable()
const blank = z.literal('').transform(() => null)
const address = z
  .string()
  .trim()
  .max(500)
  .pipe(z.union([z.url(), blank]))
  .nullable()
const claim = z.string().trim().max(255)
const roleId = z.union([uuid, blank]).nullable()

const settings = {
  name: name255.optional(),
  type: ssoProviderType.optional(),
  issuer: address.optional(),
  clientId: clearable(255).optional(),
  clientSecret: z
    .string()
    .max(4096)
    .transform((text) => text || null)
    .nullable()
    .optional(),
  scopes: z.string().trim().max(500).nullable().optional(),
  attributeMapping: z
    .object({
      email: claim.min(1),
      name: claim.min(1),
      firstName: claim.optional(),
      lastName: claim.optional(),
      groups: claim.optional(),
    })
    .optional(),
  autoProvision: z.boolean().optional(),
  defaultRoleId: roleId.optional(),
  allowedDomains: z
    .string()
    .max(1000)
    .transform((text) => (text.trim() ? text : null))
    .nullable()
    .optional(),
  enforceSSO: z.boolean().optional(),
  trustsIdpMfa: z.boolean().optional(),
  entityId: clearable(500).optional(),
  ssoUrl: address.optional(),
  certificate: z
    .string()
    .trim()
    .max(20_000)
    .transform((text) => text || null)
    .nullable()
    .optional(),
}

const read = userAccess()
const write = userAccess('organizations:write', { or: 'sso:admin', mfa: 'strict' })
const params = z.object({ id: uuid })

export const listSsoPresets = endpoint({
  name: 'sso.presets',
  method: 'GET',
  path: '/sso/presets',
  summary: 'Known identity providers with what their forms begin with, and the address to register there',
  access: read,
  reply: z.object({ data: z.array(preset), callbackUrl: z.string() }),
})

export const listSsoProviders = endpoint({
  name: 'sso.list',
  method: 'GET',
  path: '/sso/providers',
  summary: 'Identity providers of an organization, or with scope=partner those of the own company',
  access: read,
  query: z.object({
    orgId: uuid.optional(),
    scope: z.enum(['organization', 'partner']).optional(),
    partnerId: uuid.optional(),
  }),
  reply: z.object({ data: z.array(listed) }),
})

export const readSsoProvider = endpoint({
  name: 'sso.read',
  method: 'GET',
  path: '/sso/providers/:id',
  summary: 'One identity provider; its secret is never returned',
  access: read,
  params,
  reply: z.object({ data: ssoProvider }),
})

export const createSsoProvider = endpoint({
  name: 'sso.create',
  method: 'POST',
  path: '/sso/providers',
  summary: 'Set up an identity provider, inactive; its endpoints are found out from the issuer',
  access: write,
  /** The web client of the public API names the organization in the address of every call. */
  query: z.object({ orgId: uuid.optional() }),
  body: z.object({
    ...settings,
    name: name255,
    type: ssoProviderType,
    ownerScope: z.enum(['organization', 'partner']).optional(),
    orgId: uuid.optional(),
    preset: z.string().max(100).optional(),
  }),
  status: 201,
  reply: z.object({ data: ssoProvider, warnings }),
  audit: 'sso.provider.create',
})

export const updateSsoProvider = endpoint({
  name: 'sso.update',
  method: 'PATCH',
  path: '/sso/providers/:id',
  summary: 'Change an identity provider; another issuer has to be found first, and sign-ins under way end',
  access: write,
  params,
  body: z.object({
    ...settings,
    authorizationUrl: address.optional(),
    tokenUrl: address.optional(),
    userInfoUrl: address.optional(),
    jwksUrl: address.optional(),
    rediscover: z.boolean().optional(),
  }),
  reply: z.object({ data: ssoProvider, warnings }),
  audit: 'sso.provider.update',
})

export const deleteSsoProvider = endpoint({
  name: 'sso.delete',
  method: 'DELETE',
  path: '/sso/providers/:id',
  summary: 'Remove an identity provider with all connections to accounts; sessions go on',
  access: write,
  params,
  reply: ok,
  audit: 'sso.provider.delete',
})

export const setSsoProviderStatus = endpoint({
  name: 'sso.set-status',
  method: 'POST',
  path: '/sso/providers/:id/status',
  summary: 'Switch an identity provider on, off, or to testing; sign-ins under way end',
  access: write,
  params,
  body: z.object({ status: ssoProviderStatus }),
  reply: z.object({ data: ssoProvider, warnings }),
  audit: 'sso.provider.status.update',
})

export const testSsoProvider = endpoint({
  name: 'sso.test',
  method: 'POST',
  path: '/sso/providers/:id/test',
  summary: 'Ask the issuer for its endpoints and compare; saves nothing',
  access: write,
  params,
  reply: z.object({
    success: z.literal(true),
    message: z.string(),
    discovery: z.object({
      issuer: z.string(),
      authorizationEndpoint: z.string(),
      tokenEndpoint: z.string(),
      userInfoEndpoint: z.string().nullable(),
      jwksUri: z.string(),
    }),
    /** Stored endpoints that are not what the issuer says now. */
    drift: z.array(z.enum(['authorizationUrl', 'tokenUrl', 'userInfoUrl', 'jwksUrl'])),
    network: ssoNetwork,
  }),
  audit: 'sso.provider.test',
})

export const ssoReadiness = endpoint({
  name: 'sso.readiness',
  method: 'GET',
  path: '/sso/providers/:id/readiness',
  summary: 'Who has signed in through an identity provider, and who would be shut out if passwords ended now',
  access: userAccess('organizations:write', { or: 'sso:admin' }),
  params,
  reply: z.object({
    data: z.object({
      /** Active members of the owner whom a sign-in leads there; their passwords would end. */
      members: z.int(),
      /** Of these, who has come through this provider at least once. */
      signedIn: z.int(),
      /** The first fifty of the others, by name; for who may not see people, only themselves. */
      others: z.array(z.object({ id: z.uuid(), name: z.string(), email: z.string() })),
      /** Who keeps a password whatever is enforced: operators of the appliance. */
      breakGlass: z.int(),
      /** Accounts that are connected to the provider: what goes with it. */
      connections: z.int(),
      /** Why nobody new is created although that is on; null when nothing is in the way, or nobody is to be. */
      defaultRoleProblem: defaultRoleProblem.nullable(),
    }),
  }),
})
