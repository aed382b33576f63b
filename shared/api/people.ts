import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { emailAddress, instant, name255, ok, pathId, uuid } from '../fields.ts'

/** Whether somebody holds the factor that a policy asks of them. */
export const mfaStatus = z.enum(['enrolled', 'pending', 'overdue', 'not_required'])
export type MfaStatus = z.infer<typeof mfaStatus>

export const userStatus = z.enum(['active', 'invited', 'disabled'])
export type UserStatus = z.infer<typeof userStatus>

export const userRow = z.object({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  /** Null for who has no picture. */
  avatarUrl: z.string().nullable(),
  status: userStatus,
  /** When the link of somebody who was invited stops working; past, or null, once it has. */
  inviteExpiresAt: instant.nullable(),
  lastLoginAt: instant.nullable(),
  mfaEnabled: z.boolean(),
  /** Which second factors they hold; `passkeys` counts them. */
  factors: z.object({ totp: z.boolean(), sms: z.boolean(), passkeys: z.int() }),
  mfaStatus,
  mfaEnrollmentDeadline: instant.nullable(),
  roleId: z.uuid(),
  roleName: z.string(),
  /** Members of a partner. */
  orgAccess: z.enum(['all', 'selected', 'none']).optional(),
  orgIds: z.array(z.string()).nullable().optional(),
  /** Members of an organization. */
  orgId: z.uuid().optional(),
  orgName: z.string().optional(),
  siteIds: z.array(z.string()).nullable().optional(),
  deviceGroupIds: z.array(z.string()).nullable().optional(),
  /** When they became a member, and when role or reach last changed. */
  membershipCreatedAt: instant,
  membershipUpdatedAt: instant,
})
export type UserRow = z.infer<typeof userRow>

/**
 * Whose people: the caller's own tenant; an organization of the caller's partner by `ownerScope=organization` and
 * `orgId`; or the partner's and those of all its organizations by `ownerScope=all`, this appliance's addition. A bare
 * `orgId` is what clients append to every call and changes nothing. System scope has to name a tenant.
 */
export const tenantSelector = z.object({
  ownerScope: z.enum(['organization', 'all']).optional(),
  orgId: z.string().max(100).optional(),
  partnerId: z.string().max(100).optional(),
})

/** The same for what is about one membership: there are no members of `all`. */
export const tenantChoice = tenantSelector.extend({
  ownerScope: z.enum(['organization']).optional(),
})

export const listUsers = endpoint({
  name: 'users.list',
  method: 'GET',
  path: '/users',
  summary: 'The people of a tenant, by name; once for each of several memberships',
  access: userAccess('users:read', { byKey: true }),
  query: tenantSelector,
  reply: z.object({ data: z.array(userRow) }),
})

export const readUser = endpoint({
  name: 'users.read',
  method: 'GET',
  path: '/users/:id',
  summary: 'One of the people of a tenant',
  access: userAccess('users:read', { byKey: true }),
  params: z.object({ id: pathId }),
  query: tenantSelector,
  reply: userRow,
})

export const assignableRole = z.object({
  id: z.uuid(),
  name: z.string(),
  description: z.string().nullable(),
  scope: z.enum(['partner', 'organization']),
  isSystem: z.boolean(),
  /** Whether the caller may give it to somebody: they hold all it permits. */
  isAssignable: z.boolean(),
  /** False where all it permits belongs to features that Homeport does not have. */
  isUsed: z.boolean(),
})
export type AssignableRole = z.infer<typeof assignableRole>

export const listUserRoles = endpoint({
  name: 'users.roles',
  method: 'GET',
  path: '/users/roles',
  summary: 'The roles that people of a tenant can have, built-in ones first',
  access: userAccess('users:read'),
  query: tenantChoice,
  reply: z.object({ data: z.array(assignableRole) }),
})

const ids = z.array(uuid).max(10_000)

/** What confines a membership; which of them a body may name depends on the tenant. */
const reach = {
  /** Members of a partner: which organizations; `orgIds` belong to `selected`. */
  orgAccess: z.enum(['all', 'selected', 'none']).optional(),
  orgIds: ids.optional(),
  /** Members of an organization: null or, in an invitation, left out for all; no site at all for an empty list. */
  siteIds: ids.nullable().optional(),
  /** An empty list says the same as null. */
  deviceGroupIds: ids.nullable().optional(),
}
/** How an invitation reached whom it is for, or how it still has to. */
const delivery = {
  /** A mail is on its way; not where mail is written to files. */
  inviteEmailSent: z.boolean(),
  /** For the caller to hand over, when this appliance sends no mail. */
  inviteUrl: z.string().optional(),
  warning: z.string().optional(),
}

export const inviteUser = endpoint({
  name: 'users.invite',
  method: 'POST',
  path: '/users/invite',
  summary: 'Invite a person to a tenant; without an account, they get a link to create one',
  access: userAccess('users:invite', { mfa: 'session' }),
  query: tenantChoice,
  body: z.object({
    email: emailAddress,
    name: name255,
    roleId: uuid,
    ...reach,
    /** Instead of the query. For a partner caller `orgId` means that organization and not the partner. */
    orgId: uuid.optional(),
    partnerId: uuid.optional(),
  }),
  reply: z.object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    /** `active`: they had an account and have access at once. */
    status: userStatus,
    roleId: z.uuid(),
    ...delivery,
  }),
  status: 201,
  audit: 'user.invite',
})

export const resendInvite = endpoint({
  name: 'users.resend-invite',
  method: 'POST',
  path: '/users/resend-invite',
  summary: 'Create a new invitation link; the previous one stops working',
  access: userAccess('users:invite', { mfa: 'session' }),
  query: tenantChoice,
  body: z.object({ userId: uuid }),
  reply: z.object({ success: z.literal(true), ...delivery }),
  audit: 'user.invite.resend',
})

export const updateUser = endpoint({
  name: 'users.update',
  method: 'PATCH',
  path: '/users/:id',
  summary: 'Change an account as its operator; a change of status ends every session',
  access: userAccess('users:write', { scopes: ['system'], mfa: 'session' }),
  params: z.object({ id: pathId }),
  body: z.strictObject({
    name: name255.optional(),
    status: userStatus.optional(),
    disabledReason: z.string().trim().min(1).max(500).nullable().optional(),
  }),
  reply: z.object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    status: userStatus,
    disabledReason: z.string().nullable(),
  }),
  audit: 'user.update',
})

export const removeUser = endpoint({
  name: 'users.remove',
  method: 'DELETE',
  path: '/users/:id',
  summary: 'End a membership; the account stays, and its sessions end',
  access: userAccess('users:delete', { mfa: 'session' }),
  params: z.object({ id: pathId }),
  query: tenantChoice,
  reply: ok,
  audit: 'user.remove',
})

export const assignRole = endpoint({
  name: 'users.assign-role',
  method: 'POST',
  path: '/users/:id/role',
  summary: 'Give a member another role, or reach; what is left out stays as it is',
  access: userAccess('users:write', { mfa: 'session' }),
  params: z.object({ id: pathId }),
  query: tenantChoice,
  body: z.object({ roleId: uuid, ...reach }),
  reply: ok,
  audit: 'user.role.assign',
})

export const resetUserMfa = endpoint({
  name: 'users.mfa-reset',
  method: 'POST',
  path: '/users/:id/mfa/reset',
  summary: 'Reset a person’s second factors; their sessions end',
  access: userAccess('users:write', { mfa: 'strict' }),
  params: z.object({ id: pathId }),
  query: tenantSelector,
  reply: z.object({ success: z.literal(true), message: z.string() }),
  audit: 'user.mfa_reset',
})
