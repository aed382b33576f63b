import { z } from 'zod'
import { endpoint, publicAccess } from '../endpoint.ts'
import { uuid } from '../fields.ts'
import { ssoProviderType } from './sso-providers.ts'

/** The way to an identity provider and back. */

/** A parameter that a browser brings; one that comes twice is not refused here, because a person sees the answer. */
const brought = z.union([z.string(), z.array(z.string())]).optional()
const beginning = z.object({
  /** Where to go afterwards, a path of the console; anything else is "/". */
  redirect: brought,
  login_hint: brought,
  prompt: brought,
  /** Said by the appliance itself, when it sent a browser on to the name under which the provider knows it. */
  moved: brought,
})
const location = z.string()

export const ssoCheck = endpoint({
  name: 'sso.check',
  method: 'GET',
  path: '/sso/check/:orgId',
  summary: 'Whether people of an organization can sign in through an identity provider',
  access: publicAccess,
  params: z.object({ orgId: uuid }),
  reply: z.discriminatedUnion('ssoEnabled', [
    z.object({ ssoEnabled: z.literal(false) }),
    z.object({
      ssoEnabled: z.literal(true),
      provider: z.object({ id: z.uuid(), name: z.string(), type: ssoProviderType }),
      enforceSSO: z.boolean(),
      loginUrl: z.string(),
    }),
  ]),
})

export const ssoLoginOfPartner = endpoint({
  name: 'sso.login-partner',
  method: 'GET',
  path: '/sso/login/partner/:partnerId',
  summary: 'Go to the identity provider of a company to sign in',
  access: publicAccess,
  params: z.object({ partnerId: uuid }),
  query: beginning,
  status: 302,
  reply: location,
})

export const ssoLogin = endpoint({
  name: 'sso.login',
  method: 'GET',
  path: '/sso/login/:orgId',
  summary: 'Go to the identity provider of an organization to sign in',
  access: publicAccess,
  params: z.object({ orgId: uuid }),
  query: beginning,
  status: 302,
  reply: location,
})

export const ssoCallback = endpoint({
  name: 'sso.callback',
  method: 'GET',
  path: '/sso/callback',
  summary: 'Where the identity provider sends a browser back to: on to the console, with a one-time code or an error',
  access: publicAccess,
  query: z.object({ code: brought, state: brought, error: brought, iss: brought }),
  status: 302,
  reply: location,
  audit: 'sso.user.provision',
})

export const ssoExchange = endpoint({
  name: 'sso.exchange',
  method: 'POST',
  path: '/sso/exchange',
  summary: 'Exchange a one-time code for a session; it works once, for two minutes, in the same browser',
  access: publicAccess,
  body: z.object({ code: z.string().min(1).max(500) }),
  reply: z.object({ accessToken: z.string(), expiresInSeconds: z.int(), refreshToken: z.string().optional() }),
  audit: 'user.login',
})

export const ssoDiscovery = endpoint({
  name: 'auth.sso-discovery',
  method: 'POST',
  path: '/auth/sso-discovery',
  summary: 'Through which identity provider people of the domain of an address sign in; says nothing of the address',
  access: publicAccess,
  body: z.object({
    // The dot of the root changes nothing about a domain.
    email: z
      .string()
      .trim()
      .max(320)
      .overwrite((email) => email.replace(/\.$/, ''))
      .pipe(z.email()),
  }),
  reply: z.object({
    sso: z.object({ providerName: z.string(), loginUrl: z.string(), enforceSSO: z.boolean() }).nullable(),
  }),
})
