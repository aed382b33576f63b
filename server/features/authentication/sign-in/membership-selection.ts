import type { Database } from '../../../db/database.ts'
import type { Origin } from '../../../platform/actor.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { heldFactors, passkeyHostsOf } from '../../access/users/held-factors.ts'
import { findOpenInvitation, type Invitation, offeredMembership } from '../../access/invitations/store.ts'
import type { InviteLinks } from '../invitation-links/invitation-links.ts'
import { boundBy, type IpAllowlist } from '../../access/policies/ip-allowlist.ts'
import type { MfaPolicy } from '../../access/policies/mfa-policy.ts'
import { findPasswordMembership, takesPassword } from '../../access/sso/enforcement.ts'
import { isEnterable, type Membership, membershipIdOf, type TenantMembership, type User } from '../../access/users/store.ts'

interface Parts {
  db: Database
  clock: Clock
  policy: MfaPolicy
  allowlist: IpAllowlist
  inviteLinks: InviteLinks
  isTwoFactorEnabled: boolean
}

/** With what somebody comes. */
export interface Arrival {
  origin: Origin
  /** The name passkeys would be used at; null where they do not work. */
  rpId: string | null
  /** The cookie that tells who has signed in in this browser before. */
  browser?: string | undefined
  /** Whose word a passkey was made by. */
  providerId?: string | null
  /** The mail of an invitation led them here. */
  inviteToken?: string | undefined
}

/**
 * The tenant that a sign-in lands in. A tenant whose rules would refuse this sign-in does not stand in the way of one
 * that takes it: its rules apply to those who enter it.
 */
export class Landing {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Null: nowhere. One that refuses is returned only where every other does, too. */
  find(user: User, { origin, rpId, providerId = null, inviteToken }: Arrival): Membership | null {
    const { db } = this.#parts
    const admits = (to: TenantMembership) => this.#takesAddress(user, to, origin) && this.#takesFactor(user, to, rpId)
    return (
      findPasswordMembership(db, user, providerId, admits) ??
      findPasswordMembership(db, user, providerId) ??
      this.#offered(
        inviteToken === undefined ? undefined : this.#parts.inviteLinks.findInvitation(inviteToken, user.id),
      )
    )
  }

  /** Where a sign-in that stopped before its second step goes on: where it began, while that still takes a password. */
  resume(user: User, membershipId: string | null): Membership | null {
    const { db, clock } = this.#parts
    const began = findPasswordMembership(db, user, null, ({ id }) => id === membershipId)
    if (began && membershipIdOf(began) === membershipId) return began
    const invitation = membershipId && findOpenInvitation(db, user.id, membershipId, isoNow(clock))
    return findPasswordMembership(db, user) ?? this.#offered(invitation || undefined)
  }

  /** Somebody who belongs nowhere can accept an invitation only by signing in to what it offers. */
  #offered(invitation: Invitation | undefined): TenantMembership | null {
    const { db } = this.#parts
    if (!invitation || !isEnterable(db, invitation.partner_id, invitation.org_id)) return null
    const membership = offeredMembership(invitation)
    return takesPassword(db, membership) ? membership : null
  }

  #takesAddress(user: User, membership: TenantMembership, origin: Origin): boolean {
    return this.#parts.allowlist.isAllowed(boundBy(user, membership), origin)
  }

  #takesFactor(user: User, membership: TenantMembership, rpId: string | null): boolean {
    const { db, policy, isTwoFactorEnabled } = this.#parts
    if (!isTwoFactorEnabled || !user.mfa_enabled) return true
    const isHere = rpId !== null && passkeyHostsOf(db, user.id).includes(rpId)
    const held = { ...heldFactors(db, user), passkey: isHere }
    return Object.values(policy.permitted(held, policy.demandOn(membership))).some(Boolean)
  }
}
