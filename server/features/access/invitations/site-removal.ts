import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { JsonText } from '../../../lib/json.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'

/**
 * Takes a deleted site out of the confinement of memberships and invitations. A list that becomes empty stays an empty list:
 * null would open every site.
 */
export function removeSiteFromMemberships(db: Database, clock: Clock, site: { id: string; org_id: string }): void {
  const others = {
    site_ids: sql<
      JsonText<string[]>
    >`(select json_group_array(value) from json_each(site_ids) where value <> ${site.id})`,
    updated_at: isoNow(clock),
  }
  const isListed = sql<boolean>`${site.id} in (select value from json_each(site_ids))`
  db.run(q.updateTable('organization_users').set(others).where('org_id', '=', site.org_id).where(isListed))
  db.run(q.updateTable('invitations').set(others).where('org_id', '=', site.org_id).where(isListed))
}
