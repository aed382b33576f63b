import { z } from 'zod'
import { endpoint, publicAccess, userAccess } from '../endpoint.ts'
import { instant, newPassword, ok, pathId } from '../fields.ts'
import { sessionUser, tokens } from './auth.ts'

const inviteToken = z.string().min(1).max(200)

export const previewInvite = endpoint({
  name: 'auth.invite-preview',
  method: 'POST',
  path: '/auth/invite/preview',
  summary: 'Who an invitation is for, and to what; does not use it up',
  access: publicAccess,
  body: z.object({ token: inviteToken }),
  reply: z.object({
    /** As the inviter entered them. */
    email: z.string(),
    name: z.string(),
    partnerName: z.string().optional(),
    orgName: z.string().optional(),
    expiresAt: instant,
    /** The address has an account: its owner accepts by signing in, and no password is set. */
    hasAccount: z.boolean(),
    /** Of an account that exists: what its owner accepts. */
    invitationId: z.uuid().optional(),
    /** There, people sign in through an identity provider only: where to; null while that is not ready. */
    sso: z.object({ providerName: z.string(), loginUrl: z.string() }).nullable().optional(),
    /** What others know of them, and so no part of a good password; empty where none is set. */
    about: z.array(z.string()),
  }),
})

export const previewInviteByUrl = endpoint({
  name: 'auth.invite-preview-by-url',
  method: 'GET',
  path: '/auth/invite/preview/:token',
  summary: 'Not offered: addresses are logged in too many places to carry a token',
  access: publicAccess,
  params: z.object({ token: z.string() }),
  reply: z.null(),
})

export const acceptInvite = endpoint({
  name: 'auth.accept-invite',
  method: 'POST',
  path: '/auth/accept-invite',
  summary: 'Set the first password of an account with the token of an invitation; begins a session',
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

// Open while a company is closed, as going over to another one is.
const own = userAccess(undefined, { evenIf: ['partner-inactive'] })

const invitation = z.object({
  id: z.uuid(),
  scope: z.enum(['partner', 'organization']),
  partnerName: z.string(),
  orgName: z.string().nullable(),
  roleName: z.string(),
  inviterName: z.string(),
  /** Whether it can be accepted now: its company and organization are open. */
  isUsable: z.boolean(),
  /** Only who has the link of the invitation answers it: nobody has confirmed that the address is the caller's. */
  needsLink: z.boolean(),
  createdAt: instant,
  expiresAt: instant,
})
export type InvitationView = z.infer<typeof invitation>

export const listInvitations = endpoint({
  name: 'auth.invitations',
  method: 'GET',
  path: '/auth/invitations',
  summary: 'Pending invitations of the caller, newest first',
  access: own,
  reply: z.object({ data: z.array(invitation) }),
})

export const acceptInvitation = endpoint({
  name: 'auth.invitation-accept',
  method: 'POST',
  path: '/auth/invitations/:id/accept',
  summary: 'Become a member of the tenant; the session stays where it is',
  access: own,
  params: z.object({ id: pathId }),
  /** `token`: of the link, where `needsLink`. */
  body: z.object({ token: inviteToken.optional() }),
  reply: z.object({ membershipId: z.uuid() }),
  audit: 'user.invite.accepted',
})

export const declineInvitation = endpoint({
  name: 'auth.invitation-decline',
  method: 'POST',
  path: '/auth/invitations/:id/decline',
  summary: 'Decline an invitation',
  access: own,
  params: z.object({ id: pathId }),
  /** `token`: of the link, where `needsLink`. */
  body: z.object({ token: inviteToken.optional() }).prefault({}),
  reply: ok,
  audit: 'user.invite.declined',
})
