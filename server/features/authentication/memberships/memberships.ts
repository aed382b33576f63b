import type { MembershipView } from '../../../../shared/api/memberships.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import { aboutOwner, assertUnchanged, ownerOf } from '../sessions/account-owner.ts'
import type { IpAllowlist } from '../../access/policies/ip-allowlist.ts'
import type { MfaPolicy } from '../../access/policies/mfa-policy.ts'
import { mayGoOver, ssoEntranceOf, ssoOwnerOf } from '../../access/sso/enforcement.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { findSession, orgIdOf, type Session, type TenantMembership, usableMemberships } from '../../access/users/store.ts'
import { placesOf } from '../../access/memberships/details.ts'

interface Parts {
  db: Database
  audit: Audit
  sessions: Sessions
  allowlist: IpAllowlist
  policy: MfaPolicy
}

/** The tenants somebody belongs to, and going from one to another with the session that is there. */
export class Memberships {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  list(actor: UserActor): MembershipView[] {
    return placesOf(this.#parts.db, actor.userId).map((place) => ({
      ...place,
      isCurrent: place.id === actor.membershipId,
    }))
  }

  /**
   * The session goes on there with the access token that this returns; what it has passed and when it ends stay as they
   * are. There is no other refresh token: a bearer alone must not come by one.
   */
  async enter(actor: UserActor, id: string): Promise<string> {
    const { db, audit, sessions, allowlist, policy } = this.#parts
    const user = ownerOf(db, actor)
    const session = findSession(db, actor.sessionId)
    if (!session) throw new AppError('invalid_token')
    const membership = this.#usable(actor, id)
    allowlist.assertAllowed({ ...actor, partnerId: membership.partner_id }, actor.origin, actor)
    this.#assertMayGoOver(session, membership)
    if (!policy.takesFactorOf(session, membership)) throw new AppError('membership_factor')
    const { accessToken, save } = await sessions.move(session, user, membership)
    db.transaction(() => {
      assertUnchanged(db, actor, user)
      // It may have been taken away, or closed to this session, while the tokens were signed.
      this.#assertMayGoOver(session, this.#usable(actor, id))
      save()
      audit(actor, {
        ...aboutOwner(actor),
        action: 'user.tenant.enter',
        orgId: orgIdOf(membership),
        partnerId: membership.partner_id,
        details: { scope: membership.kind },
      })
    })
    return accessToken
  }

  /** How the session began has to be a way into the other tenant, too. */
  #assertMayGoOver(session: Session, membership: TenantMembership): void {
    const { db } = this.#parts
    if (mayGoOver(db, session, membership)) return
    const { loginUrl = null } = ssoEntranceOf(db, ssoOwnerOf(membership)) ?? {}
    throw new AppError('membership_sign_in', { loginUrl })
  }

  #usable({ userId }: UserActor, id: string): TenantMembership {
    const { db } = this.#parts
    const membership = usableMemberships(db, userId).find((one) => one.id === id)
    if (membership) return membership
    const isTheirs = placesOf(db, userId).some((place) => place.id === id)
    throw new AppError(isTheirs ? 'membership_unusable' : 'membership_not_found')
  }
}
