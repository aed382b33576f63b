import { z } from 'zod'
import { endpoint, publicAccess, userAccess } from '../endpoint.ts'
import { phoneNumber } from '../fields.ts'
import { mfaAnswer, mfaMethods, tokens } from './auth.ts'
import { webAuthnJson } from './passkeys.ts'

/** Reachable for those who have to enrol; the proof is asked for by the service. */
export const enrolling = userAccess(undefined, { evenIf: ['partner-inactive', 'unenrolled'] })

/** Without them the session has to be fresh. */
export const factorProof = {
  currentPassword: z.string().min(1).max(1024).optional(),
  stepUpGrantId: z.string().max(200).optional(),
}
/** Without it, who holds an app or a phone already is refused. The old one works until the new one is confirmed. */
const replace = z.boolean().optional()
const done = z.object({ success: z.literal(true), message: z.string() })
const enrolled = z.object({
  success: z.literal(true),
  message: z.string(),
  recoveryCodes: z.array(z.string()),
  tokens,
})

export const mfaSetup = endpoint({
  name: 'auth.mfa-setup',
  method: 'POST',
  path: '/auth/mfa/setup',
  isTwoFactor: true,
  summary: 'Begin enrolling an authenticator app, or replacing the factor in use by one; kept ten minutes',
  access: enrolling,
  body: z
    .object({
      ...factorProof,
      replace,
      /** Shows what this session began before, while it waits for its code; without it, a new secret takes its place. */
      resume: z.boolean().optional(),
    })
    .optional(),
  reply: z.object({
    secret: z.string(),
    otpAuthUrl: z.string(),
    qrCodeDataUrl: z.string(),
    recoveryCodes: z.array(z.string()),
  }),
})

export const mfaEnable = endpoint({
  name: 'auth.mfa-enable',
  method: 'POST',
  path: '/auth/mfa/enable',
  isTwoFactor: true,
  summary: 'Confirm the authenticator app with a code; other sessions end',
  access: enrolling,
  body: z.object({ code: mfaAnswer.sixDigits, ...factorProof }),
  reply: enrolled,
  audit: 'auth.mfa.setup',
})

export const mfaDisable = endpoint({
  name: 'auth.mfa-disable',
  method: 'POST',
  path: '/auth/mfa/disable',
  isTwoFactor: true,
  summary: 'Remove every factor; the session is replaced, all others end',
  access: enrolling,
  body: z
    .object({
      /** May be left out by those who have none. */
      currentPassword: factorProof.currentPassword,
      code: mfaAnswer.code.optional(),
      /** For `disable_mfa`, instead of a code: for those whose only factor is a passkey. */
      stepUpGrantId: factorProof.stepUpGrantId,
    })
    .refine(({ code, stepUpGrantId }) => code || stepUpGrantId, { path: ['code'], message: 'Enter a code' }),
  reply: z.object({ success: z.literal(true), message: z.string(), tokens }),
  audit: 'auth.mfa.disable',
})

export const rotateRecoveryCodes = endpoint({
  name: 'auth.mfa-recovery-codes',
  method: 'POST',
  path: '/auth/mfa/recovery-codes',
  isTwoFactor: true,
  summary: 'Ten new recovery codes; the old ones stop working',
  access: enrolling,
  body: z.object(factorProof).optional(),
  reply: enrolled,
  audit: 'auth.mfa.recovery_codes.rotate',
})

/** What a grant may be spent on. */
export const stepUpOperation = z.enum([
  'add_factor',
  'rotate_recovery_codes',
  'delete_passkey',
  'disable_mfa',
  'change_email',
])
export type StepUpOperation = z.infer<typeof stepUpOperation>

export const stepUp = endpoint({
  name: 'auth.mfa-step-up',
  method: 'POST',
  path: '/auth/mfa/step-up',
  isTwoFactor: true,
  summary: 'Prove the second factor again: a grant for one operation, and a session that passed it',
  access: enrolling,
  body: z.object({
    method: z.enum(['totp', 'sms', 'passkey']),
    code: mfaAnswer.sixDigits.optional(),
    credential: webAuthnJson.optional(),
    operation: stepUpOperation.default('add_factor'),
    passkeyId: z.string().max(100).optional(),
  }),
  reply: z.object({ stepUpGrantId: z.string(), tokens }),
  audit: 'auth.mfa.stepup.granted',
})

export const stepUpOptions = endpoint({
  name: 'auth.mfa-step-up-options',
  method: 'POST',
  path: '/auth/mfa/step-up/options',
  isTwoFactor: true,
  summary: 'The challenge for a step-up by passkey',
  access: enrolling,
  reply: z.object({ options: webAuthnJson }),
})

export const stepUpSms = endpoint({
  name: 'auth.mfa-step-up-sms',
  method: 'POST',
  path: '/auth/mfa/step-up/sms',
  isTwoFactor: true,
  summary: 'Send a code to the verified phone of the signed-in user',
  access: enrolling,
  reply: done,
  audit: 'auth.mfa.sms.sent',
})

/** Who asks for a second factor: the settings of the company or organization, or the user's role. */
const mfaDemander = z.enum(['company', 'role'])
export type MfaDemander = z.infer<typeof mfaDemander>

export const enrollmentOptions = endpoint({
  name: 'auth.mfa-enrollment-options',
  method: 'GET',
  path: '/auth/mfa/enrollment-options',
  isTwoFactor: true,
  summary: 'Which factors the rules allow and demand, and whether text messages can be sent at all',
  access: enrolling,
  reply: z.object({
    allowedMethods: mfaMethods,
    phoneConfigured: z.boolean(),
    /** While somebody asks for a second factor, it can not be turned off. */
    mfaRequiredBy: mfaDemander.nullable(),
    /** The last passkey can not be deleted: nothing that the rules accept would be left. */
    passkeyNeeded: z.boolean(),
    /** Null where passkeys work; else the addresses of this appliance where they do. */
    passkeyAddresses: z.array(z.string()).nullable(),
  }),
})

export const phoneVerify = endpoint({
  name: 'auth.phone-verify',
  method: 'POST',
  path: '/auth/phone/verify',
  isTwoFactor: true,
  summary: 'Send a code to a phone number',
  access: enrolling,
  body: z.object({ phoneNumber, currentPassword: factorProof.currentPassword }),
  reply: done,
  audit: 'auth.phone.verify.requested',
})

export const phoneConfirm = endpoint({
  name: 'auth.phone-confirm',
  method: 'POST',
  path: '/auth/phone/confirm',
  isTwoFactor: true,
  summary: 'Confirm the phone number with the code it received',
  access: enrolling,
  body: z.object({ phoneNumber, code: mfaAnswer.sixDigits, ...factorProof }),
  reply: done,
  audit: 'auth.phone.confirmed',
})

export const smsEnable = endpoint({
  name: 'auth.mfa-sms-enable',
  method: 'POST',
  path: '/auth/mfa/sms/enable',
  isTwoFactor: true,
  summary: 'Make text messages to the verified phone the second factor; other sessions end',
  access: enrolling,
  body: z.object({ ...factorProof, replace }).optional(),
  reply: enrolled,
  audit: 'auth.mfa.setup',
})

export const smsSend = endpoint({
  name: 'auth.mfa-sms-send',
  method: 'POST',
  path: '/auth/mfa/sms/send',
  isTwoFactor: true,
  summary: 'Send the code that answers a sign-in challenge',
  access: publicAccess,
  body: z.object({ tempToken: mfaAnswer.tempToken }),
  reply: done,
})
