import { z } from 'zod'
import { endpoint, publicAccess, userAccess } from '../endpoint.ts'
import { instant, name255, pathId } from '../fields.ts'
import { mfaAnswer, signedIn, tokens } from './auth.ts'

/** WebAuthn's own JSON, made and read by the libraries on both sides. */
export const webAuthnJson = z.record(z.string(), z.unknown())
const credential = webAuthnJson.refine((json) => typeof json.id === 'string' && json.id !== '', {
  message: 'Must be a WebAuthn credential with an id',
})

const subPaths = userAccess(undefined, { evenIf: ['partner-inactive', 'unenrolled'] })
const grant = z.string().max(200).optional()

export const passkey = z.object({
  id: z.uuid(),
  name: z.string(),
  deviceType: z.enum(['singleDevice', 'multiDevice']),
  backedUp: z.boolean(),
  transports: z.array(z.string()),
  /** The host name of the appliance at which this passkey works. */
  rpId: z.string(),
  lastUsedAt: instant.nullable(),
  createdAt: instant,
})
export type Passkey = z.infer<typeof passkey>

export const listPasskeys = endpoint({
  name: 'auth.passkeys',
  method: 'GET',
  path: '/auth/passkeys',
  isTwoFactor: true,
  summary: 'Own passkeys, oldest first',
  access: userAccess(undefined, { evenIf: ['partner-inactive'] }),
  reply: z.object({ passkeys: z.array(passkey) }),
})

export const passkeyRegisterOptions = endpoint({
  name: 'auth.passkey-register-options',
  method: 'POST',
  path: '/auth/passkeys/register/options',
  isTwoFactor: true,
  summary: 'The challenge for a new passkey; good for five minutes',
  access: subPaths,
  body: z.object({ currentPassword: z.string().max(1024).optional(), name: name255.optional(), stepUpGrantId: grant }),
  reply: z.object({ options: webAuthnJson }),
})

export const passkeyRegisterVerify = endpoint({
  name: 'auth.passkey-register-verify',
  method: 'POST',
  path: '/auth/passkeys/register/verify',
  isTwoFactor: true,
  summary: 'Save the new passkey; recovery codes come with the first factor',
  access: subPaths,
  body: z.object({ credential, name: name255.optional(), stepUpGrantId: grant }),
  reply: z.object({
    success: z.literal(true),
    passkey,
    recoveryCodes: z.array(z.string()).optional(),
    tokens: tokens.optional(),
  }),
  audit: 'auth.mfa.passkey.register',
})

export const renamePasskey = endpoint({
  name: 'auth.passkey-rename',
  method: 'PATCH',
  path: '/auth/passkeys/:id',
  isTwoFactor: true,
  summary: 'Give an own passkey another name',
  access: subPaths,
  params: z.object({ id: pathId }),
  body: z.object({ name: name255 }),
  reply: z.object({ success: z.literal(true), passkey }),
  audit: 'auth.mfa.passkey.rename',
})

export const deletePasskey = endpoint({
  name: 'auth.passkey-delete',
  method: 'DELETE',
  path: '/auth/passkeys/:id',
  isTwoFactor: true,
  summary: 'Remove an own passkey; the session is replaced, all others end',
  access: subPaths,
  params: z.object({ id: pathId }),
  body: z.object({ currentPassword: z.string().max(1024).optional(), stepUpGrantId: grant }),
  reply: z.object({ success: z.literal(true), tokens }),
  audit: 'auth.mfa.passkey.delete',
})

export const mfaPasskeyOptions = endpoint({
  name: 'auth.mfa-passkey-options',
  method: 'POST',
  path: '/auth/mfa/passkey/options',
  isTwoFactor: true,
  summary: 'The challenge that lets a passkey answer a sign-in',
  access: publicAccess,
  body: z.object({ tempToken: mfaAnswer.tempToken }),
  reply: z.object({ options: webAuthnJson }),
})

export const mfaPasskeyVerify = endpoint({
  name: 'auth.mfa-passkey-verify',
  method: 'POST',
  path: '/auth/mfa/passkey/verify',
  isTwoFactor: true,
  summary: 'Answer the sign-in challenge with a passkey',
  access: publicAccess,
  body: z.object({ tempToken: mfaAnswer.tempToken, credential }),
  reply: signedIn,
  audit: 'user.login',
})

/** Not in the public API: a passkey that names its user replaces password and second factor at once. */
export const passkeyLoginOptions = endpoint({
  name: 'auth.passkey-login-options',
  method: 'POST',
  path: '/auth/passkeys/login/options',
  isTwoFactor: true,
  summary: 'The challenge for signing in with a passkey alone',
  access: publicAccess,
  reply: z.object({ options: webAuthnJson }),
})

export const passkeyLogin = endpoint({
  name: 'auth.passkey-login',
  method: 'POST',
  path: '/auth/passkeys/login/verify',
  isTwoFactor: true,
  summary: 'Sign in with a passkey alone',
  access: publicAccess,
  body: z.object({ credential }),
  reply: signedIn,
  audit: 'user.login',
})
