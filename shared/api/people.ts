import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, pathId } from '../fields.ts'

/** Whether somebody holds the factor that a policy asks of them. */
export const mfaStatus = z.enum(['enrolled', 'pending', 'overdue', 'not_required'])
export type MfaStatus = z.infer<typeof mfaStatus>

export const userRow = z.object({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  status: z.enum(['active', 'invited', 'disabled']),
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
})
export type UserRow = z.infer<typeof userRow>

/**
 * Whose people: the caller's own tenant; an organization of the caller's partner by `ownerScope=organization` and
 * `orgId`; or the partner's and those of all its organizations by `ownerScope=all`, this appliance's addition. A bare
 * `orgId` is what clients append to every call and changes nothing. System scope has to name a tenant.
 */
export const tenantSelector = z.object({
  ownerScope: z.enum(['organization', 'all']).optional().catch(undefined),
  orgId: z.string().max(100).optional(),
  partnerId: z.string().max(100).optional(),
})

export const listUsers = endpoint({
  name: 'users.list',
  method: 'GET',
  path: '/users',
  summary: 'The people of a tenant, by name; once for each of several memberships',
  access: userAccess('users:read'),
  query: tenantSelector,
  reply: z.object({ data: z.array(userRow) }),
})

export const readUser = endpoint({
  name: 'users.read',
  method: 'GET',
  path: '/users/:id',
  summary: 'One of the people of a tenant',
  access: userAccess('users:read'),
  params: z.object({ id: pathId }),
  query: tenantSelector,
  reply: userRow,
})

export const resetUserMfa = endpoint({
  name: 'users.mfa-reset',
  method: 'POST',
  path: '/users/:id/mfa/reset',
  summary: 'Remove every second factor of somebody who lost theirs; their sessions end',
  access: userAccess('users:write', { mfa: 'strict' }),
  params: z.object({ id: pathId }),
  query: tenantSelector,
  reply: z.object({ success: z.literal(true), message: z.string() }),
  audit: 'user.mfa_reset',
})
