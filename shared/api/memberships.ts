import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, pathId } from '../fields.ts'
import { tokens } from './auth.ts'

// A user whose company is closed may switch to another one of theirs.
const own = userAccess(undefined, { evenIf: ['partner-inactive', 'closed'] })

export const membership = z.object({
  id: z.uuid(),
  scope: z.enum(['partner', 'organization']),
  partnerId: z.uuid(),
  partnerName: z.string(),
  orgId: z.uuid().nullable(),
  orgName: z.string().nullable(),
  roleName: z.string(),
  createdAt: instant,
  updatedAt: instant,
  /** What this session works in. */
  isCurrent: z.boolean(),
  /** Whether it can be entered: its company and organization are open. */
  isUsable: z.boolean(),
})
export type MembershipView = z.infer<typeof membership>

export const listMemberships = endpoint({
  name: 'auth.memberships',
  method: 'GET',
  path: '/auth/memberships',
  summary: 'Where the caller is a member: of partners first, then of organizations, by name',
  access: own,
  reply: z.object({ data: z.array(membership) }),
})

export const enterMembership = endpoint({
  name: 'auth.membership-enter',
  method: 'POST',
  path: '/auth/memberships/:id/enter',
  summary: 'Switch this session to another tenant; access tokens for the previous one stop working',
  access: own,
  params: z.object({ id: pathId }),
  reply: z.object({ tokens }),
  audit: 'user.tenant.enter',
})
