import type { Origin, PersonActor } from '../../../platform/actor.ts'
import { type Membership, orgIdOf, type User } from '../users/store.ts'

/** Somebody who is known but not, or not yet, in a session. */
export const personOf = (user: User, membership: Membership | null, origin: Origin): PersonActor => ({
  kind: 'person',
  userId: user.id,
  email: user.email,
  partnerId: membership && membership.kind !== 'system' ? membership.partner_id : null,
  origin,
})

/** What an audit event on somebody who signs in, or follows a link, is about. */
export const aboutPerson = (user: User, membership: Membership | null) => ({
  resourceType: 'user',
  resourceId: user.id,
  resourceName: user.email,
  orgId: membership && orgIdOf(membership),
})
