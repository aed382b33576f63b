import type { MembershipView } from '../../../../shared/api/memberships.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import {
  type IpAllowlist,
  type MfaPolicy,
  maySwitchTo,
  membershipDetailsOf,
  orgIdOf,
  ssoLoginOf,
  ssoOwnerOf,
  type TenantMembership,
  usableMemberships,
} from '../../access/index.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { aboutOwnAccount, assertSessionUnchanged, signedInUser } from '../sessions/signed-in-user.ts'
import { findSession, type Session } from '../sessions/store.ts'

interface Dependencies {
  db: Database
  audit: Audit
  sessions: Sessions
  allowlist: IpAllowlist
  policy: MfaPolicy
}

/** The memberships of the caller, and moving the session from one to another. */
export class OwnMemberships {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  list(actor: UserActor): MembershipView[] {
    return membershipDetailsOf(this.#dependencies.db, actor.userId).map((membership) => ({
      ...membership,
      isCurrent: membership.id === actor.membershipId,
    }))
  }

  /**
   * Moves the session to another membership. Its factors and its end stay as they are, and so does the refresh token: an
   * access token alone must not be enough to obtain one.
   * @returns the new access token
   * @throws AppError `membership_not_found`, `membership_unusable`, `membership_sign_in`, `membership_factor`,
   *   `IP_NOT_ALLOWED`, `untrusted_ip`
   */
  async enter(actor: UserActor, id: string): Promise<string> {
    const { db, audit, sessions, allowlist, policy } = this.#dependencies
    const user = signedInUser(db, actor)
    const session = findSession(db, actor.sessionId)
    if (!session) throw new AppError('invalid_token')
    const membership = this.#usable(actor, id)
    allowlist.assertAllowed({ ...actor, partnerId: membership.partner_id }, actor.origin, actor)
    this.#assertMaySwitch(session, membership)
    if (!policy.acceptsFactorOf(session, membership)) throw new AppError('membership_factor')
    const { accessToken, save } = await sessions.move(session, user, membership)
    db.transaction(() => {
      assertSessionUnchanged(db, actor, user)
      // The membership may have been removed, or closed to this session, while the token was signed.
      this.#assertMaySwitch(session, this.#usable(actor, id))
      save()
      audit(actor, {
        ...aboutOwnAccount(actor),
        action: 'user.tenant.enter',
        orgId: orgIdOf(membership),
        partnerId: membership.partner_id,
        details: { scope: membership.kind },
      })
    })
    return accessToken
  }

  /** The other tenant has to accept the way the session was begun. */
  #assertMaySwitch(session: Session, membership: TenantMembership): void {
    const { db } = this.#dependencies
    if (maySwitchTo(db, session, membership)) return
    const { loginUrl = null } = ssoLoginOf(db, ssoOwnerOf(membership)) ?? {}
    throw new AppError('membership_sign_in', { loginUrl })
  }

  #usable({ userId }: UserActor, id: string): TenantMembership {
    const { db } = this.#dependencies
    const membership = usableMemberships(db, userId).find((one) => one.id === id)
    if (membership) return membership
    const isTheirs = membershipDetailsOf(db, userId).some((membership) => membership.id === id)
    throw new AppError(isTheirs ? 'membership_unusable' : 'membership_not_found')
  }
}
