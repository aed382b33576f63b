import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, ok, uuid } from '../fields.ts'
import { ssoProviderType } from './sso-providers.ts'

/** Identities at providers that belong to the own account. */

export const listSsoLinkOptions = endpoint({
  name: 'sso.link-options',
  method: 'GET',
  path: '/sso/link/options',
  summary: 'Identity providers that the own account can be connected with',
  access: userAccess(),
  reply: z.object({
    data: z.array(z.object({ id: z.uuid(), name: z.string(), type: ssoProviderType, linked: z.boolean() })),
  }),
})

export const startSsoLink = endpoint({
  name: 'sso.link-start',
  method: 'POST',
  path: '/sso/link/start/:providerId',
  summary: 'Begin to connect the own account: the address of the identity provider to go to',
  access: userAccess(undefined, { mfa: 'session' }),
  params: z.object({ providerId: uuid }),
  reply: z.object({ authUrl: z.string() }),
  audit: 'sso.identity.link_started',
})

const identity = z.object({
  id: z.uuid(),
  providerId: z.uuid(),
  providerName: z.string(),
  providerType: ssoProviderType,
  email: z.string().nullable(),
  lastLoginAt: instant.nullable(),
  createdAt: instant,
})
export type SsoIdentity = z.infer<typeof identity>

export const listSsoIdentities = endpoint({
  name: 'sso.identities',
  method: 'GET',
  path: '/sso/identities',
  summary: 'Identities that are connected to the own account',
  access: userAccess(),
  reply: z.object({ data: z.array(identity) }),
})

export const deleteSsoIdentity = endpoint({
  name: 'sso.unlink',
  method: 'DELETE',
  path: '/sso/identities/:id',
  summary: 'Disconnect an identity, unless it is the only way to sign in',
  access: userAccess(undefined, { mfa: 'session' }),
  params: z.object({ id: uuid }),
  reply: ok,
  audit: 'sso.identity.unlinked',
})
