import type { Origin, PersonActor } from '../../../platform/actor.ts'
import type { User } from '../users/store.ts'
import { type Membership, orgIdOf, partnerIdOf } from './membership.ts'

/** The actor for a known user outside of a session: one who signs in or follows a link. */
export const personActor = (user: User, membership: Membership | null, origin: Origin): PersonActor => ({
  kind: 'person',
  userId: user.id,
  email: user.email,
  partnerId: membership && partnerIdOf(membership),
  origin,
})

/** The subject of an audit event about a user who signs in or follows a link. */
export const aboutPerson = (user: User, membership: Membership | null) => ({
  resourceType: 'user',
  resourceId: user.id,
  resourceName: user.email,
  orgId: membership && orgIdOf(membership),
})
