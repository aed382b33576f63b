import type { ErrorCode } from '../../../../shared/errors.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Actor, Origin } from '../../../platform/actor.ts'
import type { AddressList } from '../../../platform/address-list.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import { allowlistOf } from './security-settings.ts'

/** Whom a list is held against. */
export interface Bound {
  userId: string
  email: string
  partnerId: string | null
  isPlatformAdmin: boolean
}

const maxRemembered = 10_000

/** The partner's list of addresses people may work from (reference/auth-and-users.md §17). */
export class IpAllowlist {
  readonly #db: Database
  readonly #audit: Audit
  readonly #isEnforced: boolean
  #lists = new Map<string, AddressList | null>()
  #version = -1
  readonly #bypasses = new Set<string>()

  /** `isEnforced` false is the way back in for whoever shut everybody out. */
  constructor(db: Database, audit: Audit, isEnforced: boolean) {
    this.#db = db
    this.#audit = audit
    this.#isEnforced = isEnforced
  }

  /** Refuses with `refusal` somebody who works from elsewhere; the refusal is recorded in the name of `actor`. */
  assertAllowed(bound: Bound, origin: Origin, actor: Actor, refusal: ErrorCode = 'IP_NOT_ALLOWED'): void {
    const list = this.#isEnforced ? this.#listFor(bound) : null
    if (!list) return
    const isListed = origin.isVouchedFor && list.includes(origin.ip)
    if (isListed) return
    if (bound.isPlatformAdmin) {
      this.#recordBypass(bound, origin, actor)
      return
    }
    const reason = origin.isVouchedFor ? 'not_listed' : 'untrusted_ip'
    this.#record(actor, bound, 'ip_allowlist.denied', { clientIp: origin.ip, reason }, 'denied')
    throw new AppError(origin.isVouchedFor ? refusal : 'untrusted_ip')
  }

  // A platform admin at work makes many calls; one event per place they come from says as much.
  #recordBypass(bound: Bound, origin: Origin, actor: Actor): void {
    const key = `${bound.userId} ${origin.ip}`
    if (this.#bypasses.has(key)) return
    if (this.#bypasses.size >= maxRemembered) this.#bypasses.clear()
    this.#bypasses.add(key)
    this.#record(actor, bound, 'ip_allowlist.bypass_platform_admin', { clientIp: origin.ip }, 'success')
  }

  #record(actor: Actor, bound: Bound, action: string, details: object, result: 'success' | 'denied'): void {
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
    const version = this.#db.version(['partners'])
    if (version !== this.#version) {
      this.#lists = new Map()
      this.#version = version
    }
    const known = this.#lists.get(partnerId)
    if (known !== undefined) return known
    const list = allowlistOf(this.#settingsOf(partnerId))
    this.#lists.set(partnerId, list)
    return list
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
