import { z } from 'zod'
import type { authMe } from '../../../../shared/api/auth.ts'
import type { Me, updateMe } from '../../../../shared/api/profile.ts'
import { dateFormat, timeFormat } from '../../../../shared/fields.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { fromJson } from '../../../lib/json.ts'
import { isConfined, type UserActor } from '../../../platform/actor.ts'
import { findMembership, isPasswordClosed, type MfaPolicy, recoveryCodeHashes } from '../../access/index.ts'
import { addressLinkEnd } from '../email-address/address-links.ts'
import { signedInUser } from '../sessions/signed-in-user.ts'
import { requiresSetup } from '../sign-in/views.ts'

/** Regional settings of the partner; values that are not known count as not set. */
const regional = z.object({
  language: z.string().nullable().catch(null),
  dateFormat: dateFormat.nullable().catch(null),
  timeFormat: timeFormat.nullable().catch(null),
  timezone: z.string().nullable().catch(null),
})

/** The caller's own account, as the endpoints show it. */
export class Profile {
  readonly #db: Database
  readonly #policy: MfaPolicy
  readonly #isTwoFactorEnabled: boolean

  constructor(db: Database, policy: MfaPolicy, isTwoFactorEnabled: boolean) {
    this.#db = db
    this.#policy = policy
    this.#isTwoFactorEnabled = isTwoFactorEnabled
  }

  account(actor: UserActor): z.input<typeof authMe.reply> {
    const user = signedInUser(this.#db, actor)
    const showsFactors = this.#isTwoFactorEnabled
    return {
      user: {
        id: user.id,
        email: user.email,
        name: user.name,
        avatarUrl: user.avatar_url,
        mfaEnabled: showsFactors && user.mfa_enabled === 1,
        mfaMethod: showsFactors ? user.mfa_method : null,
        phoneVerified: user.phone_verified === 1,
        phoneLast4: showsFactors ? (user.phone_number?.slice(-4) ?? null) : null,
        status: user.status,
        lastLoginAt: user.last_login_at,
        createdAt: user.created_at,
        hasPassword: user.password_hash !== null,
        recoveryCodesLeft: recoveryCodeHashes(user).length,
      },
    }
  }

  me(actor: UserActor): Me {
    const user = signedInUser(this.#db, actor)
    const partner =
      actor.partnerId &&
      this.#db.first(q.selectFrom('partners').select(['name', 'status', 'settings']).where('id', '=', actor.partnerId))
    const membership = findMembership(this.#db, user, actor.membershipId)
    const { language, dateFormat, timeFormat, timezone } = regional.parse(partner ? JSON.parse(partner.settings) : {})
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
      preferences: fromJson(user.preferences),
      partnerId: actor.partnerId,
      partnerName: partner ? partner.name : null,
      partnerStatus: partner ? partner.status : null,
      partnerDefaultLocale: language,
      partnerDateFormat: dateFormat,
      partnerTimeFormat: timeFormat,
      partnerTimezone: timezone,
      orgId: actor.orgId,
      scope: actor.scope,
      orgAccess: actor.scope === 'partner' ? actor.orgAccess : null,
      permissions: [...actor.grants],
      canManagePartnerWide: actor.scope === 'system' || (actor.scope === 'partner' && actor.orgAccess === 'all'),
      isConfined: isConfined(actor),
      requiresSetup: requiresSetup(user),
      hasPassword: user.password_hash !== null,
      isPasswordClosed: isPasswordClosed(this.#db, user),
      mfaEnrollment: membership
        ? this.#policy.openEnrollment(user, this.#policy.requirementOf(membership))
        : { required: false, status: 'none', deadline: null },
    }
  }

  /** The answer to a change of the profile. */
  saved(actor: UserActor): Omit<z.input<typeof updateMe.reply>, 'verificationSent'> {
    const user = signedInUser(this.#db, actor)
    return {
      id: user.id,
      email: user.email,
      name: user.name,
      avatarUrl: user.avatar_url,
      status: user.status,
      mfaEnabled: user.mfa_enabled === 1,
      preferences: fromJson(user.preferences),
      ...(user.pending_email && { pendingEmail: user.pending_email }),
      ...(user.pending_email_requested_at && { pendingEmailRequestedAt: user.pending_email_requested_at }),
    }
  }
}
