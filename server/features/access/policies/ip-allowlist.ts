import type { AuditAction } from '../../../../shared/audit-actions/index.ts'
import type { ErrorCode } from '../../../../shared/errors/index.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { TableCache } from '../../../db/table-cache.ts'
import type { AddressList } from '../../../lib/address-list.ts'
import { growingCache } from '../../../lib/growing-cache.ts'
import type { Actor, Origin } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { type Membership, partnerIdOf } from '../memberships/membership.ts'
import type { User } from '../users/store.ts'
import { allowlistOf } from './security-settings.ts'

/** Whose address is checked, and against which partner's list. */
export interface AllowlistSubject {
  /** Null for a user whose account is yet to be created. */
  userId: string | null
  email: string
  partnerId: string | null
  isPlatformAdmin: boolean
}

export const allowlistSubject = (user: User, membership: Membership): AllowlistSubject => ({
  userId: user.id,
  email: user.email,
  partnerId: partnerIdOf(membership),
  isPlatformAdmin: user.is_platform_admin === 1,
})

const maxRemembered = 10_000

/** Repeated refusals of the same kind, such as those of a page left open, are recorded once in this time. */
const repeatAfterMs = 10 * minute

/** The partner's list of addresses its people may work from. */
export class IpAllowlist {
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit
  readonly #isEnforced: boolean
  readonly #lists: TableCache<{ list: AddressList | null }>
  /** By event, when it was recorded last; ms since 1970. */
  readonly #recorded = growingCache<number>(maxRemembered)

  /** @param isEnforced false lets everybody in: the way back after a list that shut out its own administrators */
  constructor(db: Database, clock: Clock, audit: Audit, isEnforced: boolean) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
    this.#isEnforced = isEnforced
    this.#lists = new TableCache(db, ['partners'], maxRemembered)
  }

  /**
   * Records a refusal in the name of `actor`.
   * @throws AppError `refusal` for an address that is not listed, `untrusted_ip` where no trusted proxy vouches for it
   */
  assertAllowed(subject: AllowlistSubject, origin: Origin, actor: Actor, refusal: ErrorCode = 'IP_NOT_ALLOWED'): void {
    if (this.#isListed(subject, origin)) return
    if (subject.isPlatformAdmin) {
      this.#record(actor, subject, 'ip_allowlist.bypass_platform_admin', { clientIp: origin.ip }, 'success')
      return
    }
    const reason = origin.isVouchedFor ? 'not_listed' : 'untrusted_ip'
    this.#record(actor, subject, 'ip_allowlist.denied', { clientIp: origin.ip, reason }, 'denied')
    throw new AppError(origin.isVouchedFor ? refusal : 'untrusted_ip')
  }

  /** The same check as a question: records nothing. */
  isAllowed(subject: AllowlistSubject, origin: Origin): boolean {
    return subject.isPlatformAdmin || this.#isListed(subject, origin)
  }

  #isListed(subject: AllowlistSubject, origin: Origin): boolean {
    const list = this.#isEnforced ? this.#listFor(subject) : null
    return !list || (origin.isVouchedFor && list.includes(origin.ip))
  }

  #record(
    actor: Actor,
    subject: AllowlistSubject,
    action: AuditAction,
    details: object,
    result: 'success' | 'denied',
  ): void {
    if (!this.#isToBeRecorded(JSON.stringify([subject.userId, action, details]))) return
    this.#audit(actor, {
      action,
      resourceType: 'user',
      resourceId: subject.userId,
      resourceName: subject.email,
      partnerId: subject.partnerId,
      details: { ...details },
      result,
    })
  }

  #isToBeRecorded(event: string): boolean {
    const now = this.#clock.now()
    const last = this.#recorded.get(event)
    if (last !== undefined && now - last < repeatAfterMs) return false
    this.#recorded.set(event, now)
    return true
  }

  #listFor({ partnerId, isPlatformAdmin }: AllowlistSubject): AddressList | null {
    try {
      return partnerId === null ? null : this.#listOf(partnerId)
    } catch (error) {
      // A list that cannot be read keeps out everybody except those who can repair it.
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
