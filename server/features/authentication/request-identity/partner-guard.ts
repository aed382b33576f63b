import type { ErrorCode } from '../../../../shared/errors/index.ts'
import type { Database } from '../../../db/database.ts'
import { TableCache } from '../../../db/table-cache.ts'
import { findPartnerStatus } from '../../partners/index.ts'

/** Why users of a partner are refused, and what else the answer says. */
export interface PartnerRefusal {
  code: Extract<ErrorCode, 'PARTNER_INACTIVE' | 'PARTNER_NOT_FOUND'>
  details: Record<string, unknown>
}

const maxCached = 20_000

/** Refuses the users of partners that are not active, whatever their session. Cached until a partner changes. */
export class PartnerGuard {
  readonly #db: Database
  readonly #refusals: TableCache<{ refusal: PartnerRefusal | null }>

  constructor(db: Database) {
    this.#db = db
    this.#refusals = new TableCache(db, ['partners'], maxCached)
  }

  /** Null for a partner that is active, and for operators, who belong to none. */
  refusalOf(partnerId: string | null): PartnerRefusal | null {
    if (partnerId === null) return null
    return this.#refusals.get(partnerId, () => ({ refusal: this.#find(partnerId) })).refusal
  }

  #find(partnerId: string): PartnerRefusal | null {
    const partner = findPartnerStatus(this.#db, partnerId)
    if (!partner) return { code: 'PARTNER_NOT_FOUND', details: {} }
    if (partner.status === 'active') return null
    const { status, statusMessage: message, statusActionUrl: actionUrl, statusActionLabel: actionLabel } = partner
    return { code: 'PARTNER_INACTIVE', details: { status, message, actionUrl, actionLabel } }
  }
}
