import type { SecurityPreview } from '../../../../shared/api/partners.ts'
import type { UserStatus } from '../../../../shared/api/people.ts'
import type { Config } from '../../../config/config.ts'
import { byName } from '../../../db/by-name.ts'
import type { Database } from '../../../db/database.ts'
import { isShown } from '../../../db/org-status.ts'
import { q } from '../../../db/query.ts'
import { hasWholeTenant, type UserActor } from '../../../platform/actor.ts'
import { actingPartnerId } from '../../../platform/actor-tenant.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import type { PreviewSecurityChange } from '../../partners/index.ts'
import { findMembership } from '../memberships/usable.ts'
import { allowlistOf, securityPolicyOf } from './security-settings.ts'

const maxAddresses = 20
const maxNames = 100

/** A live session of another user, and the address it is used from. */
interface ActiveSession {
  id: string
  membership_id: string | null
  address: string
}

type FactorPreview = Pick<SecurityPreview, 'withoutFactor' | 'namesWithoutFactor'>
type Rules = Pick<Config, 'isTwoFactorEnabled' | 'isAllowlistEnforced'>

/** Whom a change of a partner's security settings would affect at once, shown to the administrator who saves it. */
export class SecurityPreviews {
  readonly #db: Database
  readonly #clock: Clock
  readonly #rules: Rules

  constructor(db: Database, clock: Clock, rules: Rules) {
    this.#db = db
    this.#clock = clock
    this.#rules = rules
  }

  readonly preview: PreviewSecurityChange = (actor, before, after) => ({
    ...this.#withoutFactor(actor, before, after),
    ...this.#shutOut(actor, before, after),
  })

  #withoutFactor(actor: UserActor, before: string, after: string): FactorPreview {
    const requiresMfa = (settings: string) => securityPolicyOf(settings, null).requireMfa
    if (!this.#rules.isTwoFactorEnabled || requiresMfa(before) || !requiresMfa(after))
      return { withoutFactor: 0, namesWithoutFactor: [] }
    const people = members(actingPartnerId(actor), ['active', 'invited']).where('mfa_enabled', '=', 0)
    const named = people.select(['users.name', 'users.status']).orderBy(byName('users.name')).orderBy('users.id')
    const shown =
      actor.permissions.has('users:read') && hasWholeTenant(actor) ? this.#db.all(named.limit(maxNames)) : []
    return {
      withoutFactor: this.#db.first(people.select(({ fn }) => fn.countAll<number>().as('count')))?.count ?? 0,
      namesWithoutFactor: shown.map(({ name, status }) => ({ name, isInvited: status === 'invited' })),
    }
  }

  #shutOut(actor: UserActor, before: string, after: string): Omit<SecurityPreview, keyof FactorPreview> {
    if (!this.#rules.isAllowlistEnforced) return { shutOut: 0, addresses: [], isCallerShutOut: false }
    const [isOutBefore, isOutAfter] = [shutsOut(before), shutsOut(after)]
    const isShutOut = (address: string) => isOutAfter(address) && !isOutBefore(address)
    const { ip, isVouchedFor } = actor.origin
    const isCallerShutOut = !actor.isPlatformAdmin && isVouchedFor && isShutOut(ip)
    const partnerId = actingPartnerId(actor)
    const others = this.#activeSessions(partnerId, actor.userId)
      .filter(({ address }) => isShutOut(address))
      .filter((session) => this.#isFor(partnerId, session))
    const people = new Set(others.map(({ id }) => id))
    const addresses = new Set([...(isCallerShutOut ? [ip] : []), ...others.map(({ address }) => address)])
    return {
      shutOut: people.size + Number(isCallerShutOut),
      addresses: [...addresses].slice(0, maxAddresses),
      isCallerShutOut,
    }
  }

  /** A user signed in to another partner is bound by that partner's list, and their address must not be disclosed. */
  #isFor(partnerId: string, { id, membership_id }: ActiveSession): boolean {
    const membership = findMembership(this.#db, { id, is_platform_admin: 0 }, membership_id)
    return membership !== null && membership.kind !== 'system' && membership.partner_id === partnerId
  }

  /** Sessions of members other than this user whom the list binds. */
  #activeSessions(partnerId: string, userId: string): ActiveSession[] {
    return this.#db.all(
      members(partnerId, ['active'])
        .innerJoin('sessions', 'sessions.user_id', 'users.id')
        .select(['users.id', 'sessions.membership_id'])
        .select(({ ref }) => ref('sessions.ip_address').$notNull().as('address'))
        .distinct()
        .where('users.id', '!=', userId)
        .where('is_platform_admin', '=', 0)
        .where('ip_address', 'is not', null)
        .where('revoked_at', 'is', null)
        .where('sessions.expires_at', '>', isoNow(this.#clock))
        .orderBy('address'),
    )
  }
}

/** Tells which addresses these settings shut out; a list that cannot be read shuts out all of them. */
function shutsOut(settings: string): (address: string) => boolean {
  try {
    const list = allowlistOf(settings)
    return (address) => list?.includes(address) === false
  } catch {
    return () => true
  }
}

/** Users with a membership in this partner or in one of its organizations. */
const members = (partnerId: string, statuses: readonly UserStatus[]) =>
  q
    .selectFrom('users')
    .where('users.status', 'in', statuses)
    .where(
      'users.id',
      'in',
      q
        .selectFrom('partner_users')
        .select('user_id')
        .where('partner_id', '=', partnerId)
        .union(
          q
            .selectFrom('organization_users')
            .innerJoin('organizations', 'organizations.id', 'organization_users.org_id')
            .select('organization_users.user_id')
            .where('organizations.partner_id', '=', partnerId)
            .where(isShown()),
        ),
    )
