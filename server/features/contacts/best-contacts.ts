import { sql } from 'kysely'
import type { FoundContact } from '../../../shared/api/search.ts'
import { bestNamed } from '../../db/best-named.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'

/** The best matches among the contacts in reach, by name and by email. */
export function* bestContacts(db: Database, actor: UserActor, text: string, limit: number): Steps<FoundContact[]> {
  const named = {
    table: 'contacts',
    names: [
      { column: 'name', index: 'contacts_name' },
      { column: 'email', index: 'contacts_mail', isLowerCase: true },
    ],
    where: withinReach(actor, 'contacts'),
  } as const
  return yield* bestNamed(db, named, text, limit, (ids) =>
    db.all(
      q
        .selectFrom('contacts')
        .innerJoin('organizations', 'organizations.id', 'contacts.org_id')
        .select(['contacts.id', 'contacts.name', 'contacts.email'])
        .select(['contacts.org_id as orgId', 'organizations.name as orgName'])
        .where('contacts.id', 'in', sql<string>`(select value from json_each(${JSON.stringify(ids)}))`),
    ),
  )
}
