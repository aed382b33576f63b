import { z } from 'zod'
import { endpoint, publicAccess, userAccess } from '../endpoint.ts'
import { emailAddress, instant, ok } from '../fields.ts'

export const tokens = z.object({ accessToken: z.string(), expiresInSeconds: z.int() })

export const sessionUser = z.object({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  mfaEnabled: z.boolean(),
  avatarUrl: z.string().nullable(),
  isPlatformAdmin: z.boolean(),
})

/** Tokens at once, or the challenge that stands before them. */
const signedIn = z.object({
  mfaRequired: z.literal(false),
  user: sessionUser,
  tokens,
  requiresSetup: z.boolean(),
  mfaEnrollmentRequired: z.boolean(),
})
const challenged = z.object({
  mfaRequired: z.literal(true),
  tempToken: z.string(),
  mfaMethod: z.enum(['totp', 'sms', 'passkey']),
  passkeyAvailable: z.boolean(),
  allowedMethods: z.object({ totp: z.boolean(), sms: z.boolean(), passkey: z.boolean() }),
  recoveryAvailable: z.boolean(),
  phoneLast4: z.string().nullable(),
  user: z.null(),
  tokens: z.null(),
})

export const login = endpoint({
  name: 'auth.login',
  method: 'POST',
  path: '/auth/login',
  summary: 'Sign in with e-mail and password',
  access: publicAccess,
  body: z.object({ email: emailAddress, password: z.string().min(1).max(1024) }),
  reply: z.discriminatedUnion('mfaRequired', [signedIn, challenged]),
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

export const logout = endpoint({
  name: 'auth.logout',
  method: 'POST',
  path: '/auth/logout',
  summary: 'Revoke every token of the user',
  access: userAccess(),
  reply: ok,
  audit: 'user.logout',
})

export const authMe = endpoint({
  name: 'auth.me',
  method: 'GET',
  path: '/auth/me',
  summary: 'The signed-in user with factor and phone status',
  access: userAccess(),
  reply: z.object({
    user: z.object({
      id: z.uuid(),
      email: z.string(),
      name: z.string(),
      avatarUrl: z.string().nullable(),
      mfaEnabled: z.boolean(),
      mfaMethod: z.enum(['totp', 'sms', 'passkey']).nullable(),
      phoneVerified: z.boolean(),
      phoneLast4: z.string().nullable(),
      status: z.string(),
      lastLoginAt: instant.nullable(),
      createdAt: instant,
      hasPassword: z.boolean(),
    }),
  }),
})

export const mfaSetup = endpoint({
  name: 'auth.mfa-setup',
  method: 'POST',
  path: '/auth/mfa/setup',
  summary: 'Begin enrolling an authenticator app; kept ten minutes',
  access: userAccess(),
  reply: z.object({
    secret: z.string(),
    otpAuthUrl: z.string(),
    qrCodeDataUrl: z.string(),
    recoveryCodes: z.array(z.string()),
  }),
})

const mfaCode = z
  .string()
  .trim()
  .regex(/^\d{6}$/, 'Enter the six digits')

export const mfaEnable = endpoint({
  name: 'auth.mfa-enable',
  method: 'POST',
  path: '/auth/mfa/enable',
  summary: 'Confirm the authenticator app with a code; other sessions end',
  access: userAccess(),
  body: z.object({ code: mfaCode }),
  reply: z.object({ success: z.literal(true), recoveryCodes: z.array(z.string()), tokens }),
  audit: 'auth.mfa.setup',
})

export const mfaVerify = endpoint({
  name: 'auth.mfa-verify',
  method: 'POST',
  path: '/auth/mfa/verify',
  summary: 'Answer the sign-in challenge with an authenticator code or a recovery code',
  access: publicAccess,
  body: z.object({ tempToken: z.string().min(1).max(200), code: z.string().trim().min(6).max(32) }),
  reply: signedIn,
  audit: 'user.login',
})

export const usersMe = endpoint({
  name: 'users.me',
  method: 'GET',
  path: '/users/me',
  summary: 'Own profile, place in the tenant tree and effective permissions',
  access: userAccess(),
  reply: z.object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    avatarUrl: z.string().nullable(),
    status: z.string(),
    mfaEnabled: z.boolean(),
    mfaMethod: z.enum(['totp', 'sms', 'passkey']).nullable(),
    isPlatformAdmin: z.boolean(),
    createdAt: instant,
    lastLoginAt: instant.nullable(),
    setupCompletedAt: instant.nullable(),
    passwordChangedAt: instant.nullable(),
    preferences: z.record(z.string(), z.unknown()),
    partnerId: z.uuid().nullable(),
    partnerName: z.string().nullable(),
    orgId: z.uuid().nullable(),
    scope: z.enum(['system', 'partner', 'organization']),
    permissions: z.array(z.object({ resource: z.string(), action: z.string() })),
    canManagePartnerWide: z.boolean(),
    requiresSetup: z.boolean(),
    hasPassword: z.boolean(),
  }),
})
export type Me = z.infer<typeof usersMe.reply>
