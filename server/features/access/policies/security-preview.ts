import type { SecurityPreview } from '../../../../shared/api/partners.ts'
import type { Config } from '../../../config/config.ts'
import type { Database } from '../../../db/database.ts'
import { isShown } from '../../../db/org-status.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import type { Foresee } from '../../partners/index.ts'
import { findMembership } from '../users/store.ts'
import { allowlistOf, securityPolicyOf } from './security-settings.ts'

const mostAddresses = 20

/** Somebody's session, and where it is used from. */
interface AtWork {
  id: string
  membership_id: string | null
  address: string
}

type Rules = Pick<Config, 'isTwoFactorEnabled' | 'isAllowlistEnforced'>

/** Whom a change of a company's settings hits at once, so that whoever saves it knows. */
export class Consequences {
  readonly #db: Database
  readonly #clock: Clock
  readonly #rules: Rules

  constructor(db: Database, clock: Clock, rules: Rules) {
    this.#db = db
    this.#clock = clock
    this.#rules = rules
  }

  readonly of: Foresee = (actor, before, after) => ({
    withoutFactor: this.#withoutFactor(actor.partnerId as string, before, after),
    ...this.#shutOut(actor, before, after),
  })

  #withoutFactor(partnerId: string, before: string, after: string): number {
    const asks = (settings: string) => securityPolicyOf(settings, null).requireMfa
    if (!this.#rules.isTwoFactorEnabled || asks(before) || !asks(after)) return 0
    const people = members(partnerId).where('mfa_enabled', '=', 0)
    return this.#db.first(people.select(({ fn }) => fn.countAll<number>().as('count')))?.count ?? 0
  }

  #shutOut(actor: UserActor, before: string, after: string): Omit<SecurityPreview, 'withoutFactor'> {
    if (!this.#rules.isAllowlistEnforced) return { shutOut: 0, addresses: [], isCallerShutOut: false }
    const [wasLeftOut, isLeftOut] = [leavesOut(before), leavesOut(after)]
    const isShutOut = (address: string) => isLeftOut(address) && !wasLeftOut(address)
    const { ip, isVouchedFor } = actor.origin
    const isCallerShutOut = !actor.isPlatformAdmin && isVouchedFor && isShutOut(ip)
    const others = this.#atWork(actor)
      .filter(({ address }) => isShutOut(address))
      .filter((session) => this.#isFor(actor.partnerId as string, session))
    const people = new Set(others.map(({ id }) => id))
    const addresses = new Set([...(isCallerShutOut ? [ip] : []), ...others.map(({ address }) => address)])
    return {
      shutOut: people.size + Number(isCallerShutOut),
      addresses: [...addresses].slice(0, mostAddresses),
      isCallerShutOut,
    }
  }

  /** Who is signed in for another company is bound by that one's list, and where from is not ours to know. */
  #isFor(partnerId: string, { id, membership_id }: AtWork): boolean {
    const membership = findMembership(this.#db, { id, is_platform_admin: 0 }, membership_id)
    return membership !== null && membership.kind !== 'system' && membership.partner_id === partnerId
  }

  /** Where the others whom a list binds are signed in from. */
  #atWork(actor: UserActor): AtWork[] {
    return this.#db.all(
      members(actor.partnerId as string)
        .innerJoin('sessions', 'sessions.user_id', 'users.id')
        .select(['users.id', 'sessions.membership_id'])
        .select(({ ref }) => ref('sessions.ip_address').$notNull().as('address'))
        .distinct()
        .where('users.id', '!=', actor.userId)
        .where('is_platform_admin', '=', 0)
        .where('ip_address', 'is not', null)
        .where('revoked_at', 'is', null)
        .where('sessions.expires_at', '>', isoNow(this.#clock))
        .orderBy('address'),
    )
  }
}

/** Which addresses settings keep out; a list that can not be read keeps out all of them. */
function leavesOut(settings: string): (address: string) => boolean {
  try {
    const list = allowlistOf(settings)
    return (address) => list?.includes(address) === false
  } catch {
    return () => true
  }
}

/** Everybody who can work for this company or for an organization of it. */
const members = (partnerId: string) =>
  q
    .selectFrom('users')
    .where('users.status', '=', 'active')
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
