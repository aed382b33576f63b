import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import type { AssertNobodyLockedOut } from '../../partners/index.ts'
import { heldCodeFactors } from '../users/held-factors.ts'
import { type SecurityPolicy, securityPolicyOf } from './security-settings.ts'

const maxCounted = 1000

/** Refuses a change of security settings that would forbid some user's last usable factor. */
export class LockOutCheck {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Inside the transaction that writes the settings, before they are written.
   * @throws AppError `mfa_policy_would_lock_out_users`; `unavailable` where it cannot be found out
   */
  readonly assertNobodyLockedOut: AssertNobodyLockedOut = (tenant, settings) => {
    const count = this.#countOrRefuse(tenant, settings)
    if (count > 0)
      throw new AppError('mfa_policy_would_lock_out_users', {
        count: Math.min(count, maxCounted),
        countCapped: count > maxCounted,
      })
  }

  #countOrRefuse(...change: Parameters<AssertNobodyLockedOut>): number {
    try {
      return this.#count(...change)
    } catch (error) {
      throw new AppError('unavailable', {}, { cause: error })
    }
  }

  #count({ partnerId, orgId }: Parameters<AssertNobodyLockedOut>[0], next: string): number {
    const partner = this.#partnerSettings(partnerId)
    const policies = (organization: string | null): [SecurityPolicy, SecurityPolicy] =>
      orgId === null
        ? [securityPolicyOf(partner, organization), securityPolicyOf(next, organization)]
        : [securityPolicyOf(partner, organization), securityPolicyOf(partner, next)]
    const lockedOut = new Set<string>()
    for (const { settings, ...user } of this.#enrolled(partnerId, orgId)) {
      const [before, after] = policies(settings)
      const held = heldCodeFactors(user)
      const has = ({ allowedMethods: allowed }: SecurityPolicy) =>
        (held.totp && allowed.totp) || (held.sms && allowed.sms)
      if (has(before) && !has(after)) lockedOut.add(user.id)
      if (lockedOut.size > maxCounted) break
    }
    return lockedOut.size
  }

  #partnerSettings(partnerId: string): string | null {
    const partner = this.#db.first(q.selectFrom('partners').select('settings').where('id', '=', partnerId))
    return partner?.settings ?? null
  }

  /** Members who hold a factor but no passkey, which no policy can forbid; each with the settings of their organization. */
  #enrolled(partnerId: string, orgId: string | null) {
    const users = q
      .selectFrom('users')
      .select(['users.id', 'mfa_secret', 'mfa_method', 'phone_number', 'phone_verified'])
      .where('mfa_enabled', '=', 1)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('user_passkeys')
              .select('user_passkeys.id')
              .whereRef('user_passkeys.user_id', '=', 'users.id')
              .where('disabled_at', 'is', null),
          ),
        ),
      )
    const ofPartner = users
      .innerJoin('partner_users', 'partner_users.user_id', 'users.id')
      .where('partner_users.partner_id', '=', partnerId)
      .select(sql<string | null>`null`.as('settings'))
    const ofOrganizations = users
      .innerJoin('organization_users', 'organization_users.user_id', 'users.id')
      .innerJoin('organizations', 'organizations.id', 'organization_users.org_id')
      .where('organizations.partner_id', '=', partnerId)
      .where('organizations.deleted_at', 'is', null)
      .select('organizations.settings')
    return orgId === null
      ? [...this.#db.all(ofPartner), ...this.#db.all(ofOrganizations)]
      : this.#db.all(ofOrganizations.where('organizations.id', '=', orgId))
  }
}
