import { z } from 'zod'
import { endpoint, publicAccess, userAccess } from '../endpoint.ts'
import { emailAddress, instant, name255, newPassword, ok } from '../fields.ts'
import { sessionUser, tokens } from './auth.ts'

const accepted = z.object({ success: z.literal(true), message: z.string() })

export const registerPartner = endpoint({
  name: 'auth.register-partner',
  method: 'POST',
  path: '/auth/register-partner',
  summary: 'Register a company; nothing is created before the link in the email is followed',
  access: publicAccess,
  body: z.object({
    companyName: name255.min(2),
    name: name255,
    email: emailAddress,
    password: newPassword,
    acceptTerms: z.literal(true, { error: 'The terms must be accepted' }),
  }),
  reply: accepted,
  isBrief: true,
})

export const register = endpoint({
  name: 'auth.register',
  method: 'POST',
  path: '/auth/register',
  summary: 'Kept for old clients: checks as registration does and creates nothing',
  access: publicAccess,
  body: z.object({ email: emailAddress, password: newPassword, name: name255 }),
  reply: accepted,
  isBrief: true,
})

/** `purpose` says which of the four the link was for; it is this appliance's addition to the public API. */
export const verifyEmail = endpoint({
  name: 'auth.verify-email',
  method: 'POST',
  path: '/auth/verify-email',
  summary: 'Follow the link of a mail: complete a registration, commit an email change, or prove an address',
  access: publicAccess,
  body: z.object({ token: z.string().min(1).max(200) }),
  reply: z.discriminatedUnion('purpose', [
    z.object({
      purpose: z.literal('registration'),
      verified: z.literal(true),
      user: sessionUser,
      partner: z.object({ id: z.uuid(), name: z.string(), slug: z.string(), status: z.string() }),
      mfaRequired: z.literal(false),
      tokens,
      mfaEnrollmentRequired: z.boolean(),
      enrollUrl: z.string().optional(),
      mfaEnrollmentDeadline: instant.optional(),
    }),
    z.object({ purpose: z.literal('existing_account'), verified: z.literal(false), status: z.literal('sign_in') }),
    z.object({ purpose: z.literal('email_change'), verified: z.literal(true), email: z.string() }),
    z.object({
      purpose: z.literal('address_proof'),
      verified: z.literal(true),
      partnerId: z.uuid().nullable(),
      email: z.string(),
      autoActivated: z.literal(false),
    }),
  ]),
  audit: 'auth.email_verified',
})

export const resendVerification = endpoint({
  name: 'auth.resend-verification',
  method: 'POST',
  path: '/auth/resend-verification',
  summary: 'Send the link that proves the own address once more; older links stop working',
  access: userAccess(undefined, { evenIf: ['partner-inactive'] }),
  reply: z.object({ sent: z.literal(true) }),
  audit: 'auth.email.verification.sent',
})

export const updateRegistration = endpoint({
  name: 'system.update-registration',
  method: 'PUT',
  path: '/system/registration',
  summary: 'Say whether anyone may register a company of their own on this appliance',
  access: userAccess(undefined, { platformAdmin: true, mfa: 'session' }),
  body: z.object({ open: z.boolean() }),
  reply: ok,
  audit: 'platform_admin.registration',
})

/** What becomes of mail: handed to a mail server, written to a file, or kept until there is a mail server. */
export const mailDelivery = z.enum(['server', 'file', 'none'])
export type MailDelivery = z.infer<typeof mailDelivery>

export const publicConfig = endpoint({
  name: 'config.read',
  method: 'GET',
  path: '/config',
  summary: 'What the pages before the sign-in need to know',
  access: publicAccess,
  reply: z.object({
    features: z.object({ billing: z.boolean(), support: z.boolean() }),
    /** `enabled`: the API accepts registrations; `shown`: the console offers them too, not without mail. */
    registration: z.object({ enabled: z.boolean(), shown: z.boolean(), setByEnvironment: z.boolean() }),
    /** Says nothing about any account. */
    mail: z.object({ delivery: mailDelivery }),
    mfa: z.object({ enabled: z.boolean() }),
    /** Whether a passkey can be used at the address this was asked for. */
    passkeys: z.object({ available: z.boolean() }),
  }),
})
