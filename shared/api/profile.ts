import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { dateFormat, emailAddress, instant, jsonObject, name255, timeFormat } from '../fields.ts'
import { mfaMethod } from './auth.ts'
import { factorProof } from './mfa.ts'

const own = userAccess(undefined, { evenIf: ['partner-inactive', 'unenrolled'] })

/** Where a user stands in the time a policy gives for enrolling a factor. */
export const mfaEnrollment = z.object({
  required: z.boolean(),
  status: z.enum(['none', 'active', 'expired']),
  deadline: instant.nullable(),
})
export type MfaEnrollment = z.infer<typeof mfaEnrollment>

export const usersMe = endpoint({
  name: 'users.me',
  method: 'GET',
  path: '/users/me',
  summary: 'Own profile, place in the tenant tree and effective permissions',
  access: own,
  reply: z.object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    avatarUrl: z.string().nullable(),
    status: z.string(),
    emailVerified: z.boolean(),
    pendingEmail: z.string().nullable(),
    pendingEmailRequestedAt: instant.nullable(),
    /** When the mailed link stops working. */
    pendingEmailExpiresAt: instant.nullable(),
    mfaEnabled: z.boolean(),
    mfaMethod: mfaMethod.nullable(),
    isPlatformAdmin: z.boolean(),
    createdAt: instant,
    lastLoginAt: instant.nullable(),
    setupCompletedAt: instant.nullable(),
    passwordChangedAt: instant.nullable(),
    preferences: jsonObject,
    partnerId: z.uuid().nullable(),
    partnerName: z.string().nullable(),
    partnerStatus: z.string().nullable(),
    partnerDefaultLocale: z.string().nullable(),
    /** How the company writes days and times; null is left to the browser. */
    partnerDateFormat: dateFormat.nullable(),
    partnerTimeFormat: timeFormat.nullable(),
    /** Preselected for new sites; null where the company has not chosen one. */
    partnerTimezone: z.string().nullable(),
    orgId: z.uuid().nullable(),
    scope: z.enum(['system', 'partner', 'organization']),
    /** Which organizations a member of a company sees; null for everybody else. With `none`, its settings only. */
    orgAccess: z.enum(['all', 'selected', 'none']).nullable(),
    permissions: z.array(z.object({ resource: z.string(), action: z.string() })),
    canManagePartnerWide: z.boolean(),
    /** Sees only some sites or device groups of the organization, and nothing that is of all of it. */
    isConfined: z.boolean(),
    requiresSetup: z.boolean(),
    hasPassword: z.boolean(),
    /** Wherever they work an identity provider is the only way in: the password and the address are settled there. */
    isPasswordClosed: z.boolean(),
    mfaEnrollment,
  }),
})
export type Me = z.infer<typeof usersMe.reply>

/** Known keys have known values; others are kept as they are. */
export const preferences = z.looseObject({
  theme: z.enum(['light', 'dark', 'system']).optional(),
  density: z.enum(['comfortable', 'compact', 'dense']).optional(),
  font: z.enum(['system', 'homeport']).optional(),
  timeFormat: timeFormat.optional(),
  locale: z.enum(['en']).optional(),
  /** Whether single characters are shortcuts of the console; they are by default. */
  letterKeys: z.boolean().optional(),
  /** The columns that are hidden, by the name of the table. */
  hiddenColumns: z.record(z.string().max(50), z.array(z.string().max(50)).max(50)).optional(),
})

export const updateMe = endpoint({
  name: 'users.update-me',
  method: 'PATCH',
  path: '/users/me',
  summary: 'Change the own name and preferences; a new address applies after its link was followed',
  access: own,
  body: z.strictObject({
    name: name255.optional(),
    email: emailAddress.optional(),
    preferences: preferences.nullable().optional(),
    ...factorProof,
  }),
  reply: z.object({
    id: z.uuid(),
    /** Still the old one. */
    email: z.string(),
    name: z.string(),
    avatarUrl: z.string().nullable(),
    status: z.string(),
    mfaEnabled: z.boolean(),
    preferences: jsonObject,
    pendingEmail: z.string().optional(),
    pendingEmailRequestedAt: instant.optional(),
    verificationSent: z.boolean(),
  }),
  audit: 'user.profile.update',
})

export const withdrawEmail = endpoint({
  name: 'users.withdraw-email',
  method: 'DELETE',
  path: '/users/me/pending-email',
  summary: 'Withdraw the change of the own address that waits for its link; the link stops working',
  access: userAccess(undefined, { evenIf: ['partner-inactive'] }),
  reply: z.object({ success: z.literal(true) }),
  audit: 'user.email.change.withdrawn',
})
