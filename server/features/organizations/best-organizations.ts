import { sql } from 'kysely'
import type { FoundOrganization } from '../../../shared/api/search.ts'
import { bestFirst, bestNamed } from '../../db/best-named.ts'
import { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { isShown } from '../../db/org-status.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import { Names, nameContainsByIndex } from './names.ts'

/** Finds organizations by their names. */
export class BestOrganizations {
  readonly #db: Database
  readonly #names: Names

  constructor(db: Database) {
    this.#db = db
    this.#names = new Names(db, new CountCache(db, ['organizations']))
  }

  /** The best matches among those in reach. */
  *find(actor: UserActor, text: string, limit: number): Steps<FoundOrganization[]> {
    const where = sql<boolean>`(${withinReach(actor, 'organizations')} and ${isShown()})`
    const rows = q.selectFrom('organizations').select(['id', 'name', 'slug', 'status'])
    if (this.#names.areFew(text)) {
      const few = rows.where(where).where(nameContainsByIndex(text)).orderBy(sql`name collate nocase`).orderBy('id')
      return bestFirst(this.#db.all(few), text).slice(0, limit)
    }
    const named = { table: 'organizations', names: [{ column: 'name', index: 'organizations_name' }], where } as const
    return yield* bestNamed(this.#db, named, text, limit, (ids) =>
      this.#db.all(rows.where('id', 'in', sql<string>`(select value from json_each(${JSON.stringify(ids)}))`)),
    )
  }
}
