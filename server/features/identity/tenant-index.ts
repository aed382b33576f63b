import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { OrgReach } from '../../platform/actor.ts'

/** Statuses that hide an organization from lists, search and everything below it. */
export const hiddenStatuses = ['archived', 'purging'] as const

/**
 * Which organizations are visible, by partner. Read once and kept until a row of `organizations` changes, so that
 * resolving an actor costs the same for ten organizations and ten thousand.
 */
export class TenantIndex {
  readonly #db: Database
  #version = -1
  #byPartner = new Map<string, Set<string>>()
  #everyOrg = new Set<string>()
  #hasHidden = false

  constructor(db: Database) {
    this.#db = db
  }

  ofSystem(): OrgReach {
    this.#refresh()
    return this.#hasHidden ? this.#everyOrg : 'all'
  }

  /** `'all'` when the partner's organizations are all there are, which spares queries the list. */
  ofPartner(partnerId: string): OrgReach {
    this.#refresh()
    const own = this.#byPartner.get(partnerId) ?? new Set<string>()
    return !this.#hasHidden && own.size === this.#everyOrg.size && own.size > 0 ? 'all' : own
  }

  selected(partnerId: string, ids: readonly string[]): OrgReach {
    this.#refresh()
    const own = this.#byPartner.get(partnerId)
    return new Set(ids.filter((id) => own?.has(id)))
  }

  #refresh(): void {
    const version = this.#db.version(['organizations'])
    if (version === this.#version) return
    const rows = this.#db.all(q.selectFrom('organizations').select(['id', 'partner_id', 'status', 'deleted_at']))
    const visible = rows.filter(
      (row) => row.deleted_at === null && !hiddenStatuses.some((status) => status === row.status),
    )
    this.#byPartner = new Map()
    for (const row of visible) {
      const own = this.#byPartner.get(row.partner_id)
      if (own) own.add(row.id)
      else this.#byPartner.set(row.partner_id, new Set([row.id]))
    }
    this.#everyOrg = new Set(visible.map((row) => row.id))
    this.#hasHidden = visible.length < rows.length
    this.#version = version
  }
}
