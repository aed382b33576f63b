import type { Database } from '../../../db/database.ts'
import type { Origin } from '../../../platform/actor.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import {
  acceptsPassword,
  allowlistSubject,
  findOpenInvitation,
  findPasswordMembership,
  heldFactors,
  type Invitation,
  type IpAllowlist,
  isEnterable,
  type Membership,
  type MfaPolicy,
  membershipIdOf,
  offeredMembership,
  passkeyHostsOf,
  type TenantMembership,
  type User,
} from '../../access/index.ts'
import type { InvitationLinks } from '../invitation-links/invitation-links.ts'

interface Dependencies {
  db: Database
  clock: Clock
  policy: MfaPolicy
  allowlist: IpAllowlist
  invitationLinks: InvitationLinks
  isTwoFactorEnabled: boolean
}

/** What is known of a sign-in beside the credentials. */
export interface SignInContext {
  origin: Origin
  /** WebAuthn relying party id of the present host name; null where passkeys do not work. */
  rpId: string | null
  /** The cookie that tells who has signed in from this browser before. */
  browser?: string | undefined
  /** The identity provider on whose word alone the passkey was registered. */
  providerId?: string | null
  /** Token of the link in an invitation that led to the sign-in page. */
  inviteToken?: string | undefined
}

/**
 * Chooses the membership that a sign-in lands in. A tenant whose rules refuse the sign-in is passed over where another
 * tenant of the user admits it: the rules of a tenant apply to those who enter it.
 */
export class MembershipSelection {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Null where there is none. A membership whose tenant refuses the sign-in is returned only if all of them do. */
  find(user: User, { origin, rpId, providerId = null, inviteToken }: SignInContext): Membership | null {
    const { db, invitationLinks } = this.#dependencies
    const isAllowed = (to: TenantMembership) =>
      this.#acceptsAddress(user, to, origin) && this.#acceptsFactor(user, to, rpId)
    return (
      findPasswordMembership(db, user, providerId, isAllowed) ??
      findPasswordMembership(db, user, providerId) ??
      this.#offered(inviteToken === undefined ? undefined : invitationLinks.findInvitation(inviteToken, user.id))
    )
  }

  /** The membership a sign-in continues with after the second factor: where it began, if that still accepts passwords. */
  resume(user: User, membershipId: string | null): Membership | null {
    const { db, clock } = this.#dependencies
    const original = findPasswordMembership(db, user, null, ({ id }) => id === membershipId)
    if (original && membershipIdOf(original) === membershipId) return original
    const invitation = membershipId && findOpenInvitation(db, user.id, membershipId, isoNow(clock))
    return findPasswordMembership(db, user) ?? this.#offered(invitation || undefined)
  }

  /** A user without a membership accepts an invitation by signing in to what it offers. */
  #offered(invitation: Invitation | undefined): TenantMembership | null {
    const { db } = this.#dependencies
    if (!invitation || !isEnterable(db, invitation.partner_id, invitation.org_id)) return null
    const membership = offeredMembership(invitation)
    return acceptsPassword(db, membership) ? membership : null
  }

  #acceptsAddress(user: User, membership: TenantMembership, origin: Origin): boolean {
    return this.#dependencies.allowlist.isAllowed(allowlistSubject(user, membership), origin)
  }

  #acceptsFactor(user: User, membership: TenantMembership, rpId: string | null): boolean {
    const { db, policy, isTwoFactorEnabled } = this.#dependencies
    if (!isTwoFactorEnabled || !user.mfa_enabled) return true
    const isUsableHere = rpId !== null && passkeyHostsOf(db, user.id).includes(rpId)
    const held = { ...heldFactors(db, user), passkey: isUsableHere }
    return Object.values(policy.permittedFactors(held, policy.requirementOf(membership))).some(Boolean)
  }
}
