import type { Database } from '../../../db/database.ts'
import { hiddenInSql } from '../../../db/org-status.ts'
import { type OrgReach, onlyOrgs } from '../../../db/reach.ts'
import { TableCache } from '../../../db/table-cache.ts'

const maxReaches = 5_000

/**
 * Which organizations an actor may see. Answers are cached until a row of `organizations` changes. They list the few
 * hidden organizations rather than the visible ones, so that their size does not grow with the number of organizations.
 */
export class OrganizationReaches {
  readonly #db: Database
  readonly #reaches: TableCache<OrgReach>

  constructor(db: Database) {
    this.#db = db
    this.#reaches = new TableCache(db, ['organizations'], maxReaches)
  }

  ofSystem(): OrgReach {
    return this.#reaches.get('', () => ({ ...this.#allButHidden(), ...this.#deleted('') }))
  }

  ofPartner(partnerId: string): OrgReach {
    return this.#reaches.get(partnerId, () => ({
      ...this.#allButHidden(),
      ...(this.#hasOtherPartners(partnerId) && {
        within: { partnerId, has: (orgId) => this.#isOf(partnerId, orgId) },
      }),
      ...this.#deleted('AND partner_id = ?', partnerId),
    }))
  }

  /** Only these of the partner's organizations, as far as they are visible. */
  selected(partnerId: string, ids: readonly string[]): OrgReach {
    const list = JSON.stringify(ids)
    const isSelected = 'AND partner_id = ? AND id IN (SELECT value FROM json_each(?))'
    return this.#reaches.get(`${partnerId} ${list}`, () => ({
      ...onlyOrgs(this.#ids(`NOT ${hiddenInSql} ${isSelected}`, partnerId, list)),
      ...this.#deleted(isSelected, partnerId, list),
    }))
  }

  #allButHidden(): OrgReach {
    return { of: 'all-but', ids: new Set(this.#ids(hiddenInSql)) }
  }

  #deleted(where: string, ...values: string[]): Pick<OrgReach, 'deleted'> {
    const ids = this.#ids(`${hiddenInSql} AND deleted_at IS NOT NULL ${where}`, ...values)
    return ids.length > 0 ? { deleted: new Set(ids) } : {}
  }

  #hasOtherPartners(partnerId: string): boolean {
    const others = 'SELECT 1 FROM organizations WHERE partner_id'
    return [`${others} < ? LIMIT 1`, `${others} > ? LIMIT 1`].some(
      (query) => this.#db.statement(query).get(partnerId) !== undefined,
    )
  }

  #isOf(partnerId: string, orgId: string): boolean {
    const own = 'SELECT 1 FROM organizations WHERE id = ? AND partner_id = ?'
    return this.#db.statement(own).get(orgId, partnerId) !== undefined
  }

  #ids(where: string, ...values: string[]): string[] {
    return this.#db.statement<string>(`SELECT id FROM organizations WHERE ${where}`).pluck().all(values)
  }
}
