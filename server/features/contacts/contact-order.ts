import { sql } from 'kysely'
import { byName } from '../../db/by-name.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'

/** Names with an accent were kept as they are once, and stood after all others; before anybody is served. */
export function renewContactOrder(db: Database): void {
  db.run(
    q
      .updateTable('contacts')
      .set({ name_key: byName('name') })
      .where(sql<boolean>`name_key glob '*[^ -~]*'`)
      .where('name_key', '<>', byName('name')),
  )
}
