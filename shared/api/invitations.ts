import { z } from 'zod'
import { endpoint, publicAccess } from '../endpoint.ts'
import { instant, newPassword } from '../fields.ts'
import { sessionUser, tokens } from './auth.ts'

const inviteToken = z.string().min(1).max(200)

export const previewInvite = endpoint({
  name: 'auth.invite-preview',
  method: 'POST',
  path: '/auth/invite/preview',
  summary: 'Whom an invitation is for and to what; it is not used up',
  access: publicAccess,
  body: z.object({ token: inviteToken }),
  reply: z.object({
    email: z.string(),
    name: z.string(),
    partnerName: z.string().optional(),
    orgName: z.string().optional(),
    expiresAt: instant,
    /** There, people sign in through an identity provider only: where to; null while that is not ready. */
    sso: z.object({ providerName: z.string(), loginUrl: z.string() }).nullable().optional(),
    /** What others know of them, and so no part of a good password. */
    about: z.array(z.string()),
  }),
})

export const previewInviteByUrl = endpoint({
  name: 'auth.invite-preview-by-url',
  method: 'GET',
  path: '/auth/invite/preview/:token',
  summary: 'Not offered: an address is written down in too many places to hold a token',
  access: publicAccess,
  params: z.object({ token: z.string() }),
  reply: z.null(),
})

export const acceptInvite = endpoint({
  name: 'auth.accept-invite',
  method: 'POST',
  path: '/auth/accept-invite',
  summary: 'Set the first password with the token of an invitation; begins a session',
  access: publicAccess,
  body: z.object({ token: inviteToken, password: newPassword }),
  reply: z.object({
    user: sessionUser,
    /** Null: the account is there, but it can not be signed in to now; `message` says so. */
    tokens: tokens.nullable(),
    message: z.string().optional(),
    mfaEnrollmentRequired: z.boolean().optional(),
    enrollUrl: z.string().optional(),
    mfaEnrollmentDeadline: instant.optional(),
  }),
  audit: 'user.invite.accepted',
})
