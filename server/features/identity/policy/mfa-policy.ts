import type { MfaMethods } from '../../../../shared/api/auth.ts'
import type { MfaDemander } from '../../../../shared/api/mfa.ts'
import type { MfaStatus } from '../../../../shared/api/people.ts'
import type { MfaEnrollment } from '../../../../shared/api/profile.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Identity } from '../../../platform/actor.ts'
import { heldByCode } from '../factors/held.ts'
import { findMembership, findRole, type Membership, type Session, type User } from '../store.ts'
import { type EnrollmentWindows, type FactorState, mayOpen } from './enrollment-windows.ts'
import { type SecurityPolicy, securityPolicyOf } from './security-settings.ts'

export interface MfaPolicyRules {
  isTwoFactorEnabled: boolean
  /** `MFA_FORCE_FOR_PARTNER_ADMIN`: whether the flag on a role counts. */
  isForcedByRole: boolean
  /** Without a provider a text message is no factor. */
  canSendSms: () => boolean
}

/** What a policy asks of one user in one tenant. */
export interface Demand {
  /** The settings of the tenant ask for a factor; nothing postpones that. */
  bySettings: boolean
  /** The role asks for one; a window may postpone that. */
  byRole: boolean
  policy: SecurityPolicy
}

/** What the demand on a user means for their factors. */
interface FactorRules {
  /** What they may enrol. */
  allowed: MfaMethods
  /** Who asks that they hold a factor; a window postpones enrolling, not this. */
  demander: MfaDemander | null
  /** With what they could still sign in once their last passkey was gone. */
  withoutPasskeys: MfaMethods
  /** That last passkey can not be deleted: nothing that the rules accept would be left. */
  isPasskeyNeeded: boolean
}

const everything: SecurityPolicy = { requireMfa: false, allowedMethods: { totp: true, sms: true }, graceDays: 0 }

/**
 * Settings that can not be read keep nobody out, but nobody changes their factors by rules that are not known.
 */
const unreadable = {
  open: { bySettings: false, byRole: false, policy: everything },
  closed: {
    bySettings: true,
    byRole: false,
    policy: { requireMfa: true, allowedMethods: { totp: false, sms: false }, graceDays: 0 },
  },
} as const satisfies Record<string, Demand>

/** Who needs a second factor, and which ones they may hold. */
export class MfaPolicy {
  readonly #db: Database
  readonly #windows: EnrollmentWindows
  readonly #rules: MfaPolicyRules

  constructor(db: Database, windows: EnrollmentWindows, rules: MfaPolicyRules) {
    this.#db = db
    this.#windows = windows
    this.#rules = rules
  }

  /** `ifUnreadable`: what holds while the settings can not be read. */
  demandOn(membership: Membership, ifUnreadable: 'open' | 'closed' = 'open'): Demand {
    if (membership.kind === 'system' || !this.#rules.isTwoFactorEnabled)
      return { bySettings: false, byRole: false, policy: everything }
    const policy = this.#policyOf(membership)
    if (!policy) return unreadable[ifUnreadable]
    const role = findRole(this.#db, membership.role_id)
    return { bySettings: policy.requireMfa, byRole: this.#rules.isForcedByRole && role?.force_mfa === 1, policy }
  }

  /** Whether this user must enrol a factor, as it stands; opens no window. */
  enrollmentOf(user: FactorState, demand: Demand): MfaEnrollment {
    const none = { status: 'none', deadline: null } as const
    if (user.mfa_enabled) return { required: false, ...none }
    if (demand.bySettings || this.#mustReplace(user)) return { required: true, ...none }
    if (!demand.byRole) return { required: false, ...none }
    const window = this.#windows.of(user, demand.policy.graceDays)
    if (!window) return { required: true, ...none }
    return { required: !window.isOpen, status: window.isOpen ? 'active' : 'expired', deadline: window.deadline }
  }

  /** What asks this user to enrol a factor, though a window may postpone it; null for nothing. */
  demanderOf(user: User, { bySettings, byRole }: Demand): 'settings' | 'reset' | 'role' | null {
    if (user.mfa_enabled) return null
    if (bySettings) return 'settings'
    return this.#mustReplace(user) ? 'reset' : byRole ? 'role' : null
  }

  /** As `enrollmentOf`, after opening the window of whoever is asked for the first time. */
  settle(user: User, demand: Demand): MfaEnrollment {
    if (!demand.byRole || demand.bySettings || user.mfa_enabled) return this.enrollmentOf(user, demand)
    return this.enrollmentOf(this.#windows.open(user, demand.policy.graceDays), demand)
  }

  /** Where this user stands, in the words of a list of people; opens no window either. */
  standingOf(user: FactorState, demand: Demand): { status: MfaStatus; deadline: string | null } {
    if (user.mfa_enabled) return { status: 'enrolled', deadline: null }
    const { required, status, deadline } = this.enrollmentOf(user, demand)
    // Their time begins when they sign in.
    const isYetToBegin = !demand.bySettings && mayOpen(user) && demand.policy.graceDays > 0
    if (status === 'active' || (required && isYetToBegin)) return { status: 'pending', deadline }
    return { status: required ? 'overdue' : 'not_required', deadline }
  }

  /** What holds for this user where they are signed in; as strict as may be where that can not be read. */
  rulesOn(user: User, { membershipId }: Pick<Identity, 'membershipId'>): FactorRules {
    const membership = findMembership(this.#db, user, membershipId)
    const demand = membership ? this.demandOn(membership, 'closed') : unreadable.closed
    const demander = demand.bySettings ? 'company' : demand.byRole ? 'role' : null
    // A phone that was verified becomes the factor when nothing else is left.
    const held = heldByCode({ ...user, mfa_method: 'sms' })
    const withoutPasskeys = this.permitted({ ...held, passkey: false }, demand)
    return {
      allowed: this.permitted({ totp: true, sms: true, passkey: true }, demand),
      demander,
      withoutPasskeys,
      isPasskeyNeeded: demander !== null && !withoutPasskeys.totp && !withoutPasskeys.sms,
    }
  }

  /** What may be used, of what the user holds. */
  permitted(held: MfaMethods, { policy: { allowedMethods } }: Demand): MfaMethods {
    return {
      totp: held.totp && allowedMethods.totp,
      sms: held.sms && allowedMethods.sms && this.#rules.canSendSms(),
      passkey: held.passkey,
    }
  }

  /** Whether the factor a session was begun with is one that a sign-in to this membership would have taken. */
  takesFactorOf({ mfa_source: source }: Pick<Session, 'mfa_source'>, membership: Membership): boolean {
    const { allowedMethods } = this.demandOn(membership).policy
    return (source !== 'totp' && source !== 'sms') || allowedMethods[source]
  }

  /** Whether the user holds text messages and may use them, but nothing sends any. */
  isSmsUnavailable(held: MfaMethods, { policy: { allowedMethods } }: Demand): boolean {
    return held.sms && allowedMethods.sms && !this.#rules.canSendSms()
  }

  /** An administrator removed their factors, and they have not enrolled another one since. */
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
