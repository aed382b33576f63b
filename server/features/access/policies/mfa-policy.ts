import type { Selectable } from 'kysely'
import type { MfaMethods } from '../../../../shared/api/auth.ts'
import type { MfaDemander } from '../../../../shared/api/mfa.ts'
import type { MfaStatus } from '../../../../shared/api/people.ts'
import type { MfaEnrollment } from '../../../../shared/api/profile.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Identity } from '../../../platform/actor.ts'
import type { Tables } from '../../../tables.ts'
import type { Membership } from '../memberships/membership.ts'
import { findMembership } from '../memberships/usable.ts'
import { findRole } from '../roles/store.ts'
import { heldCodeFactors } from '../users/held-factors.ts'
import type { User } from '../users/store.ts'
import { type EnrollmentWindows, type FactorState, mayOpenWindow } from './enrollment-windows.ts'
import { type SecurityPolicy, securityPolicyOf } from './security-settings.ts'

export interface MfaPolicyRules {
  isTwoFactorEnabled: boolean
  /** `MFA_FORCE_FOR_PARTNER_ADMIN`: whether roles that force a second factor are heeded. */
  isForcedByRole: boolean
  /** Without a provider for text messages they are no factor. */
  canSendSms: () => boolean
}

/** What settings and role require of a user in one tenant. */
export interface MfaRequirement {
  /** The settings of the tenant require a factor; nothing postpones that. */
  bySettings: boolean
  /** The role requires one; an enrollment window may postpone that. */
  byRole: boolean
  policy: SecurityPolicy
}

/** What a requirement means for the factors of a user. */
interface FactorRules {
  /** Factors they may enroll. */
  allowed: MfaMethods
  /** Who requires a factor. An enrollment window postpones enrolling, not this. */
  requiredBy: MfaDemander | null
  /** The factors they could still sign in with if they had no passkey. */
  withoutPasskeys: MfaMethods
  /** Their last passkey cannot be deleted: no permitted factor would be left. */
  isPasskeyNeeded: boolean
}

const noRestrictions: SecurityPolicy = { requireMfa: false, allowedMethods: { totp: true, sms: true }, graceDays: 0 }

/** Settings that cannot be parsed keep nobody out (`open`), but no factor is changed under unknown rules (`closed`). */
const unreadable = {
  open: { bySettings: false, byRole: false, policy: noRestrictions },
  closed: {
    bySettings: true,
    byRole: false,
    policy: { requireMfa: true, allowedMethods: { totp: false, sms: false }, graceDays: 0 },
  },
} as const satisfies Record<string, MfaRequirement>

/** Who needs a second factor, and which factors they may use. */
export class MfaPolicy {
  readonly #db: Database
  readonly #windows: EnrollmentWindows
  readonly #rules: MfaPolicyRules

  constructor(db: Database, windows: EnrollmentWindows, rules: MfaPolicyRules) {
    this.#db = db
    this.#windows = windows
    this.#rules = rules
  }

  /** @param ifUnreadable what applies while the settings of the tenant cannot be parsed */
  requirementOf(membership: Membership, ifUnreadable: 'open' | 'closed' = 'open'): MfaRequirement {
    if (membership.kind === 'system' || !this.#rules.isTwoFactorEnabled)
      return { bySettings: false, byRole: false, policy: noRestrictions }
    const policy = this.#policyOf(membership)
    if (!policy) return unreadable[ifUnreadable]
    const role = findRole(this.#db, membership.role_id)
    return { bySettings: policy.requireMfa, byRole: this.#rules.isForcedByRole && role?.force_mfa === 1, policy }
  }

  /** Whether this user must enroll a factor now; opens no enrollment window. */
  enrollmentOf(user: FactorState, requirement: MfaRequirement): MfaEnrollment {
    const none = { status: 'none', deadline: null } as const
    if (user.mfa_enabled) return { required: false, ...none }
    if (requirement.bySettings || this.#mustReplace(user)) return { required: true, ...none }
    if (!requirement.byRole) return { required: false, ...none }
    const window = this.#windows.of(user, requirement.policy.graceDays)
    if (!window) return { required: true, ...none }
    return { required: !window.isOpen, status: window.isOpen ? 'active' : 'expired', deadline: window.deadline }
  }

  /** Why this user has to enroll a factor, now or when their enrollment window ends; null where they do not. */
  enrollmentReason(user: User, { bySettings, byRole }: MfaRequirement): 'settings' | 'reset' | 'role' | null {
    if (user.mfa_enabled) return null
    if (bySettings) return 'settings'
    return this.#mustReplace(user) ? 'reset' : byRole ? 'role' : null
  }

  /** As `enrollmentOf`, but opens the enrollment window of a user of whom a factor is required for the first time. */
  openEnrollment(user: User, requirement: MfaRequirement): MfaEnrollment {
    if (!requirement.byRole || requirement.bySettings || user.mfa_enabled) return this.enrollmentOf(user, requirement)
    return this.enrollmentOf(this.#windows.open(user, requirement.policy.graceDays), requirement)
  }

  /** The status shown in lists of people; opens no enrollment window. */
  statusOf(user: FactorState, requirement: MfaRequirement): { status: MfaStatus; deadline: string | null } {
    if (user.mfa_enabled) return { status: 'enrolled', deadline: null }
    const { required, status, deadline } = this.enrollmentOf(user, requirement)
    // Their enrollment window opens when they sign in.
    const isYetToBegin = !requirement.bySettings && mayOpenWindow(user) && requirement.policy.graceDays > 0
    if (status === 'active' || (required && isYetToBegin)) return { status: 'pending', deadline }
    return { status: required ? 'overdue' : 'not_required', deadline }
  }

  /** The rules for this user in the membership they are signed in to; the strictest ones where settings are unreadable. */
  factorRulesOf(user: User, { membershipId }: Pick<Identity, 'membershipId'>): FactorRules {
    const membership = findMembership(this.#db, user, membershipId)
    const requirement = membership ? this.requirementOf(membership, 'closed') : unreadable.closed
    const requiredBy = requirement.bySettings ? 'company' : requirement.byRole ? 'role' : null
    // A verified phone becomes the factor when nothing else is left.
    const held = heldCodeFactors({ ...user, mfa_method: 'sms' })
    const withoutPasskeys = this.permittedFactors({ ...held, passkey: false }, requirement)
    return {
      allowed: this.permittedFactors({ totp: true, sms: true, passkey: true }, requirement),
      requiredBy,
      withoutPasskeys,
      isPasskeyNeeded: requiredBy !== null && !withoutPasskeys.totp && !withoutPasskeys.sms,
    }
  }

  /** Of the factors held, those the policy permits and this appliance can check. */
  permittedFactors(held: MfaMethods, { policy: { allowedMethods } }: MfaRequirement): MfaMethods {
    return {
      totp: held.totp && allowedMethods.totp,
      sms: held.sms && allowedMethods.sms && this.#rules.canSendSms(),
      passkey: held.passkey,
    }
  }

  /** Whether a sign-in to this membership would have accepted the factor a session was begun with. */
  acceptsFactorOf(
    { mfa_source: source }: Pick<Selectable<Tables['sessions']>, 'mfa_source'>,
    membership: Membership,
  ): boolean {
    const { allowedMethods } = this.requirementOf(membership).policy
    return (source !== 'totp' && source !== 'sms') || allowedMethods[source]
  }

  /** Whether the user holds text messages as a permitted factor, but none can be sent. */
  isSmsUnavailable(held: MfaMethods, { policy: { allowedMethods } }: MfaRequirement): boolean {
    return held.sms && allowedMethods.sms && !this.#rules.canSendSms()
  }

  /** An administrator removed their factors, and they have not enrolled one since. */
  #mustReplace({ mfa_reset_at }: Pick<User, 'mfa_reset_at'>): boolean {
    return this.#rules.isTwoFactorEnabled && mfa_reset_at !== null
  }

  #policyOf(membership: Exclude<Membership, { kind: 'system' }>): SecurityPolicy | null {
    const partner = this.#db.first(q.selectFrom('partners').select('settings').where('id', '=', membership.partner_id))
    const organization =
      membership.kind === 'organization'
        ? this.#db.first(q.selectFrom('organizations').select('settings').where('id', '=', membership.org_id))
        : undefined
    try {
      return securityPolicyOf(partner?.settings ?? null, organization?.settings ?? null)
    } catch (error) {
      if (error instanceof SyntaxError) return null
      throw error
    }
  }
}
