import type { ErrorCode } from '../../../../shared/errors/index.ts'
import type { Database } from '../../../db/database.ts'
import { growingCache } from '../../../db/growing-cache.ts'
import { q } from '../../../db/query.ts'
import { TableCache } from '../../../db/table-cache.ts'
import type { Actor, Origin } from '../../../platform/actor.ts'
import type { AddressList } from '../../../platform/address-list.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Membership, User } from '../store.ts'
import { allowlistOf } from './security-settings.ts'

/** Whom a list is held against. */
export interface Bound {
  /** Null for somebody who has no account yet. */
  userId: string | null
  email: string
  partnerId: string | null
  isPlatformAdmin: boolean
}

export const boundBy = (user: User, membership: Membership): Bound => ({
  userId: user.id,
  email: user.email,
  partnerId: membership.kind === 'system' ? null : membership.partner_id,
  isPlatformAdmin: user.is_platform_admin === 1,
})

const maxRemembered = 10_000
/** Whoever keeps calling from the same place, such as a forgotten page, is on record once in so long. */
const restMs = 10 * minute

/** The partner's list of addresses people may work from (reference/auth-and-users.md §17). */
export class IpAllowlist {
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit
  readonly #isEnforced: boolean
  readonly #lists: TableCache<{ list: AddressList | null }>
  /** When what was written last. */
  readonly #recorded = growingCache<number>(maxRemembered)

  /** `isEnforced` false is the way back in for whoever shut everybody out. */
  constructor(db: Database, clock: Clock, audit: Audit, isEnforced: boolean) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
    this.#isEnforced = isEnforced
    this.#lists = new TableCache(db, ['partners'], maxRemembered)
  }

  /** Refuses with `refusal` somebody who works from elsewhere; the refusal is recorded in the name of `actor`. */
  assertAllowed(bound: Bound, origin: Origin, actor: Actor, refusal: ErrorCode = 'IP_NOT_ALLOWED'): void {
    if (this.#isListed(bound, origin)) return
    if (bound.isPlatformAdmin) {
      this.#record(actor, bound, 'ip_allowlist.bypass_platform_admin', { clientIp: origin.ip }, 'success')
      return
    }
    const reason = origin.isVouchedFor ? 'not_listed' : 'untrusted_ip'
    this.#record(actor, bound, 'ip_allowlist.denied', { clientIp: origin.ip, reason }, 'denied')
    throw new AppError(origin.isVouchedFor ? refusal : 'untrusted_ip')
  }

  /** The same as a question: refuses nothing and records nothing. */
  isAllowed(bound: Bound, origin: Origin): boolean {
    return bound.isPlatformAdmin || this.#isListed(bound, origin)
  }

  #isListed(bound: Bound, origin: Origin): boolean {
    const list = this.#isEnforced ? this.#listFor(bound) : null
    return !list || (origin.isVouchedFor && list.includes(origin.ip))
  }

  #record(actor: Actor, bound: Bound, action: string, details: object, result: 'success' | 'denied'): void {
    if (!this.#isNews(JSON.stringify([bound.userId, action, details]))) return
    this.#audit(actor, {
      action,
      resourceType: 'user',
      resourceId: bound.userId,
      resourceName: bound.email,
      partnerId: bound.partnerId,
      details: { ...details },
      result,
    })
  }

  #isNews(event: string): boolean {
    const now = this.#clock.now()
    const last = this.#recorded.get(event)
    if (last !== undefined && now - last < restMs) return false
    this.#recorded.set(event, now)
    return true
  }

  #listFor({ partnerId, isPlatformAdmin }: Bound): AddressList | null {
    try {
      return partnerId === null ? null : this.#listOf(partnerId)
    } catch (error) {
      // A list that can not be read keeps out everybody but those who can mend it.
      if (isPlatformAdmin) return null
      throw error
    }
  }

  #listOf(partnerId: string): AddressList | null {
    return this.#lists.get(partnerId, () => ({ list: allowlistOf(this.#settingsOf(partnerId)) })).list
  }

  #settingsOf(partnerId: string): string | null {
    try {
      const partner = this.#db.first(q.selectFrom('partners').select('settings').where('id', '=', partnerId))
      return partner?.settings ?? null
    } catch (error) {
      throw new AppError('unavailable', {}, { cause: error })
    }
  }
}
