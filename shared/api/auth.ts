import { z } from 'zod'
import { endpoint, publicAccess, userAccess } from '../endpoint.ts'
import { emailAddress, instant, ok, pathId } from '../fields.ts'

/** Access token for the bearer header; the refresh token travels in a cookie. */
export const tokens = z.object({ accessToken: z.string(), expiresInSeconds: z.int() })

export const mfaMethod = z.enum(['totp', 'sms', 'passkey'])
export type MfaMethod = z.infer<typeof mfaMethod>
export const mfaMethods = z.object({ totp: z.boolean(), sms: z.boolean(), passkey: z.boolean() })
export type MfaMethods = z.infer<typeof mfaMethods>

/** The page on which a user enrols the second factor that a policy asks for. */
export const enrollUrl = '/auth/mfa/setup'

export const sessionUser = z.object({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  mfaEnabled: z.boolean(),
  avatarUrl: z.string().nullable(),
  isPlatformAdmin: z.boolean(),
})

/** A session has begun. */
const begun = {
  mfaRequired: z.literal(false),
  user: sessionUser,
  tokens,
  requiresSetup: z.boolean(),
  mfaEnrollmentRequired: z.boolean(),
  enrollUrl: z.string().optional(),
  mfaEnrollmentDeadline: instant.optional(),
}
export const signedIn = z.object(begun)

/** The second step that stands before a session. `tempToken` is good for five minutes. */
const challenged = z.object({
  mfaRequired: z.literal(true),
  tempToken: z.string(),
  mfaMethod,
  passkeyAvailable: z.boolean(),
  /** What the user holds and the policy permits. */
  allowedMethods: mfaMethods,
  /** Host names at which the user's passkeys work, when this one is not among them. */
  passkeyHosts: z.array(z.string()),
  /** The account answers by text message, which this appliance can not send at the moment. */
  smsUnavailable: z.boolean(),
  recoveryAvailable: z.boolean(),
  phoneLast4: z.string().nullable(),
  user: z.null(),
  tokens: z.null(),
})

export const login = endpoint({
  name: 'auth.login',
  method: 'POST',
  path: '/auth/login',
  summary: 'Sign in with email and password',
  access: publicAccess,
  body: z.object({
    email: emailAddress,
    password: z.string().min(1).max(1024),
    /** Of the mailed link: lets somebody who belongs to no tenant any more accept by signing in. */
    inviteToken: z.string().min(1).max(200).optional(),
  }),
  reply: z.discriminatedUnion('mfaRequired', [signedIn, challenged]),
  audit: 'user.login',
})

const tempToken = z.string().min(1).max(200)
const sixDigits = z
  .string()
  .trim()
  .regex(/^\d{6}$/, 'Enter the six digits')
const recoveryCode = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9]{4}[- ]?[A-Za-z0-9]{4}$/, 'Enter six digits or a recovery code')
export const mfaAnswer = { tempToken, sixDigits, code: z.union([sixDigits, recoveryCode]) }

/**
 * Three uses, as the public API has them: with `tempToken` it ends a sign-in; with a bearer and a setup under way it
 * confirms that setup; with a bearer alone it makes the session one that passed a second factor.
 */
export const mfaVerify = endpoint({
  name: 'auth.mfa-verify',
  method: 'POST',
  path: '/auth/mfa/verify',
  isTwoFactor: true,
  summary: 'Answer the sign-in challenge, confirm a setup, or step the session up, with a code',
  access: publicAccess,
  body: z.object({
    tempToken: tempToken.optional(),
    code: mfaAnswer.code,
    method: z.enum(['totp', 'sms', 'recovery']).optional(),
    stepUpGrantId: z.string().max(200).optional(),
  }),
  reply: z.discriminatedUnion('purpose', [
    z.object({ purpose: z.literal('sign-in'), ...begun }),
    z.object({
      purpose: z.literal('enrollment'),
      success: z.literal(true),
      message: z.string(),
      recoveryCodes: z.array(z.string()),
      tokens,
    }),
    z.object({ purpose: z.literal('step-up'), success: z.literal(true), message: z.string(), tokens }),
  ]),
  audit: 'user.login',
})

export const refresh = endpoint({
  name: 'auth.refresh',
  method: 'POST',
  path: '/auth/refresh',
  summary: 'Rotate the token pair; the refresh token comes and goes in a cookie',
  access: publicAccess,
  reply: z.object({ tokens }),
})

const signOutReach = z.enum(['everywhere', 'session'])
export type SignOutReach = z.infer<typeof signOutReach>

export const logout = endpoint({
  name: 'auth.logout',
  method: 'POST',
  path: '/auth/logout',
  summary: 'Sign out: revokes every token of the user, or ends this session only',
  access: userAccess(undefined, { evenIf: ['partner-inactive', 'unenrolled', 'closed'] }),
  query: z.object({ reach: signOutReach.default('everywhere') }),
  reply: ok,
  audit: 'user.logout',
})

export const authMe = endpoint({
  name: 'auth.me',
  method: 'GET',
  path: '/auth/me',
  summary: 'The signed-in user with factor and phone status',
  access: userAccess(undefined, { evenIf: ['partner-inactive'] }),
  reply: z.object({
    user: z.object({
      id: z.uuid(),
      email: z.string(),
      name: z.string(),
      avatarUrl: z.string().nullable(),
      mfaEnabled: z.boolean(),
      mfaMethod: mfaMethod.nullable(),
      phoneVerified: z.boolean(),
      phoneLast4: z.string().nullable(),
      status: z.string(),
      lastLoginAt: instant.nullable(),
      createdAt: instant,
      hasPassword: z.boolean(),
      /** Recovery codes left, 0 to 10. */
      recoveryCodesLeft: z.int(),
    }),
  }),
})

export const ownSession = z.object({
  id: z.uuid(),
  isCurrent: z.boolean(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  createdAt: instant,
  lastUsedAt: instant,
  expiresAt: instant,
  /** The second factor this session passed. */
  mfaSource: z.enum(['totp', 'sms', 'passkey', 'recovery', 'idp']).nullable(),
})

export const listSessions = endpoint({
  name: 'auth.sessions',
  method: 'GET',
  path: '/auth/sessions',
  summary: 'Where the user is signed in, last used first',
  access: userAccess(undefined, { evenIf: ['partner-inactive'] }),
  reply: z.object({ data: z.array(ownSession) }),
})

export const revokeSession = endpoint({
  name: 'auth.session-revoke',
  method: 'DELETE',
  path: '/auth/sessions/:id',
  summary: 'End one of the own sessions',
  access: userAccess(undefined, { evenIf: ['partner-inactive'] }),
  params: z.object({ id: pathId }),
  reply: ok,
  audit: 'auth.session.revoke',
})

export const revokeOtherSessions = endpoint({
  name: 'auth.sessions-revoke-others',
  method: 'POST',
  path: '/auth/sessions/revoke-others',
  summary: 'End every own session but this one',
  access: userAccess(undefined, { evenIf: ['partner-inactive'] }),
  reply: z.object({ success: z.literal(true), revoked: z.int() }),
  audit: 'auth.session.revoke_others',
})
