import { sql } from 'kysely'
import type { FoundSite } from '../../../shared/api/search.ts'
import { bestNamed } from '../../db/best-named.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'

/** The best matches among the sites in reach. */
export function* bestSites(db: Database, actor: UserActor, text: string, limit: number): Steps<FoundSite[]> {
  const named = {
    table: 'sites',
    names: [{ column: 'name', index: 'sites_name' }],
    where: withinReach(actor, 'sites'),
  } as const
  return yield* bestNamed(db, named, text, limit, (ids) =>
    db.all(
      q
        .selectFrom('sites')
        .innerJoin('organizations', 'organizations.id', 'sites.org_id')
        .select(['sites.id', 'sites.name', 'sites.org_id as orgId', 'organizations.name as orgName'])
        .where('sites.id', 'in', sql<string>`(select value from json_each(${JSON.stringify(ids)}))`),
    ),
  )
}
