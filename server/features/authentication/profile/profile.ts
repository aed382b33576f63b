import { z } from 'zod'
import type { authMe } from '../../../../shared/api/auth.ts'
import type { Me, updateMe } from '../../../../shared/api/profile.ts'
import { dateFormat, timeFormat } from '../../../../shared/fields.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { recoveryHashes } from '../../access/users/held-factors.ts'
import { ownerOf } from '../sessions/account-owner.ts'
import type { MfaPolicy } from '../../access/policies/mfa-policy.ts'
import { isPasswordClosed } from '../../access/sso/enforcement.ts'
import { addressLinkEnd } from '../email-address/address-links.ts'
import { requiresSetup } from '../sign-in/views.ts'
import { findMembership } from '../../access/users/store.ts'

/** Of the settings of a company; what no version knows is as good as nothing. */
const regional = z.object({
  language: z.string().nullable().catch(null),
  dateFormat: dateFormat.nullable().catch(null),
  timeFormat: timeFormat.nullable().catch(null),
})

/** What a signed-in user may know and say of their own account. */
export class Profile {
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit
  readonly #policy: MfaPolicy
  readonly #isTwoFactorEnabled: boolean

  constructor(db: Database, clock: Clock, audit: Audit, policy: MfaPolicy, isTwoFactorEnabled: boolean) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
    this.#policy = policy
    this.#isTwoFactorEnabled = isTwoFactorEnabled
  }

  account(actor: UserActor): z.input<typeof authMe.reply> {
    const user = ownerOf(this.#db, actor)
    const shown = this.#isTwoFactorEnabled
    return {
      user: {
        id: user.id,
        email: user.email,
        name: user.name,
        avatarUrl: user.avatar_url,
        mfaEnabled: shown && user.mfa_enabled === 1,
        mfaMethod: shown ? user.mfa_method : null,
        phoneVerified: user.phone_verified === 1,
        phoneLast4: shown ? (user.phone_number?.slice(-4) ?? null) : null,
        status: user.status,
        lastLoginAt: user.last_login_at,
        createdAt: user.created_at,
        hasPassword: user.password_hash !== null,
        recoveryCodesLeft: recoveryHashes(user).length,
      },
    }
  }

  me(actor: UserActor): Me {
    const user = ownerOf(this.#db, actor)
    const partner =
      actor.partnerId &&
      this.#db.first(q.selectFrom('partners').select(['name', 'status', 'settings']).where('id', '=', actor.partnerId))
    const membership = findMembership(this.#db, user, actor.membershipId)
    const { language, dateFormat, timeFormat } = regional.parse(partner ? JSON.parse(partner.settings) : {})
    return {
      id: user.id,
      email: user.email,
      name: user.name,
      avatarUrl: user.avatar_url,
      status: user.status,
      emailVerified: user.email_verified_at !== null,
      pendingEmail: user.pending_email,
      pendingEmailRequestedAt: user.pending_email_requested_at,
      pendingEmailExpiresAt: user.pending_email_requested_at && addressLinkEnd(user.pending_email_requested_at),
      mfaEnabled: user.mfa_enabled === 1,
      mfaMethod: user.mfa_method,
      isPlatformAdmin: actor.isPlatformAdmin,
      createdAt: user.created_at,
      lastLoginAt: user.last_login_at,
      setupCompletedAt: user.setup_completed_at,
      passwordChangedAt: user.password_changed_at,
      preferences: JSON.parse(user.preferences) as Record<string, unknown>,
      partnerId: actor.partnerId,
      partnerName: partner ? partner.name : null,
      partnerStatus: partner ? partner.status : null,
      partnerDefaultLocale: language,
      partnerDateFormat: dateFormat,
      partnerTimeFormat: timeFormat,
      orgId: actor.orgId,
      scope: actor.scope,
      orgAccess: actor.scope === 'partner' ? actor.orgAccess : null,
      permissions: [...actor.grants],
      canManagePartnerWide: actor.scope === 'system' || (actor.scope === 'partner' && actor.orgAccess === 'all'),
      requiresSetup: requiresSetup(user),
      hasPassword: user.password_hash !== null,
      isPasswordClosed: isPasswordClosed(this.#db, user),
      mfaEnrollment: membership
        ? this.#policy.settle(user, this.#policy.demandOn(membership))
        : { required: false, status: 'none', deadline: null },
    }
  }

  /** After a change of the account. */
  saved(actor: UserActor): Omit<z.input<typeof updateMe.reply>, 'verificationSent'> {
    const user = ownerOf(this.#db, actor)
    return {
      id: user.id,
      email: user.email,
      name: user.name,
      avatarUrl: user.avatar_url,
      status: user.status,
      mfaEnabled: user.mfa_enabled === 1,
      preferences: JSON.parse(user.preferences) as Record<string, unknown>,
      ...(user.pending_email && { pendingEmail: user.pending_email }),
      ...(user.pending_email_requested_at && { pendingEmailRequestedAt: user.pending_email_requested_at }),
    }
  }

  completeSetup(actor: UserActor): void {
    this.#db.transaction(() => {
      const changed = this.#db.run(
        q
          .updateTable('users')
          .set({ setup_completed_at: isoNow(this.#clock) })
          .where('id', '=', actor.userId)
          .where('setup_completed_at', 'is', null),
      )
      if (changed > 0)
        this.#audit(actor, { action: 'user.setup.complete', resourceType: 'user', resourceId: actor.userId })
    })
  }
}
