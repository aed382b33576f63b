import type { ErrorCode } from '../../../../shared/errors/index.ts'
import type { Database } from '../../../db/database.ts'
import { TableCache } from '../../../db/table-cache.ts'
import { findPartnerStanding } from '../../partners/index.ts'

/** Why the people of a company are refused, and what they are told. */
export interface PartnerRefusal {
  code: Extract<ErrorCode, 'PARTNER_INACTIVE' | 'PARTNER_NOT_FOUND'>
  told: Record<string, unknown>
}

const maxCached = 20_000

/** Companies that are not active: nobody works for them, whatever their session says. Kept until a company changes. */
export class PartnerGuard {
  readonly #db: Database
  readonly #refusals: TableCache<{ refusal: PartnerRefusal | null }>

  constructor(db: Database) {
    this.#db = db
    this.#refusals = new TableCache(db, ['partners'], maxCached)
  }

  /** Null for a company that is active, and for operators, who work for none. */
  refusalOf(partnerId: string | null): PartnerRefusal | null {
    if (partnerId === null) return null
    return this.#refusals.get(partnerId, () => ({ refusal: this.#find(partnerId) })).refusal
  }

  #find(partnerId: string): PartnerRefusal | null {
    const partner = findPartnerStanding(this.#db, partnerId)
    if (!partner) return { code: 'PARTNER_NOT_FOUND', told: {} }
    if (partner.status === 'active') return null
    const { status, statusMessage: message, statusActionUrl: actionUrl, statusActionLabel: actionLabel } = partner
    return { code: 'PARTNER_INACTIVE', told: { status, message, actionUrl, actionLabel } }
  }
}
