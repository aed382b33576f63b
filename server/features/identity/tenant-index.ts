import type { Database } from '../../db/database.ts'
import type { OrgReach } from '../../platform/actor.ts'

/** Statuses that hide an organization from lists, search and everything below it. */
export const hiddenStatuses = ['archived', 'purging'] as const

// Word for word the condition of the index `organizations_hidden`, or SQLite reads the whole table.
const hidden = "(deleted_at IS NOT NULL OR status IN ('archived', 'purging'))"

/**
 * Which organizations are visible to whom. Answers are kept until a row of `organizations` changes. On a box with one
 * company that hides none, the usual one, the answer is `'all'`: found by two looks into an index, however many there are.
 */
export class TenantIndex {
  readonly #db: Database
  readonly #reaches = new Map<string, OrgReach>()
  #version = -1

  constructor(db: Database) {
    this.#db = db
  }

  ofSystem(): OrgReach {
    return this.#kept('', () => (this.#anyHidden() ? this.#ids(`NOT ${hidden}`) : 'all'))
  }

  ofPartner(partnerId: string): OrgReach {
    return this.#kept(partnerId, () =>
      this.#anyHidden() || this.#anyOfOthers(partnerId)
        ? this.#ids(`partner_id = ? AND NOT ${hidden}`, partnerId)
        : 'all',
    )
  }

  selected(partnerId: string, ids: readonly string[]): OrgReach {
    const list = JSON.stringify(ids)
    return this.#kept(`${partnerId} ${list}`, () =>
      this.#ids(`partner_id = ? AND NOT ${hidden} AND id IN (SELECT value FROM json_each(?))`, partnerId, list),
    )
  }

  #kept(key: string, find: () => OrgReach): OrgReach {
    const version = this.#db.version(['organizations'])
    if (version !== this.#version) {
      this.#reaches.clear()
      this.#version = version
    }
    const known = this.#reaches.get(key)
    if (known) return known
    const reach = find()
    this.#reaches.set(key, reach)
    return reach
  }

  #anyHidden(): boolean {
    return this.#db.statement(`SELECT 1 FROM organizations WHERE ${hidden} LIMIT 1`).get() !== undefined
  }

  #anyOfOthers(partnerId: string): boolean {
    const others = 'SELECT 1 FROM organizations WHERE partner_id'
    return [`${others} < ? LIMIT 1`, `${others} > ? LIMIT 1`].some(
      (query) => this.#db.statement(query).get(partnerId) !== undefined,
    )
  }

  #ids(where: string, ...values: string[]): ReadonlySet<string> {
    return new Set(this.#db.statement(`SELECT id FROM organizations WHERE ${where}`).pluck().all(values) as string[])
  }
}
