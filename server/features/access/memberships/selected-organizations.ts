import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { JsonText } from '../../../lib/json.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'

/** The lists of organizations that members of a partner with `org_access` `selected` may see. */

interface Organization {
  id: string
  partner_id: string
}

/** Adds an organization to the list of one member. */
export const selectOrganization = (
  db: Database,
  clock: Clock,
  member: { userId: string; partnerId: string },
  orgId: string,
): void =>
  void db.run(
    q
      .updateTable('partner_users')
      .set({
        org_ids: sql<JsonText<string[]>>`json_insert(coalesce(org_ids, '[]'), '$[#]', ${orgId})`,
        updated_at: isoNow(clock),
      })
      .where('user_id', '=', member.userId)
      .where('partner_id', '=', member.partnerId),
  )

/**
 * Members who may see `former` may see `successorId` instead.
 * @returns how many memberships changed
 */
export function replaceSelectedOrganization(
  db: Database,
  clock: Clock,
  former: Organization,
  successorId: string,
): number {
  const replaced = sql<JsonText<string[]>>`(
      select json_group_array(id) from (
        select iif(value = ${former.id}, ${successorId}, value) as id from json_each(org_ids) group by 1 order by min(key)
      ))`
  return db.run(
    q
      .updateTable('partner_users')
      .set({ org_ids: replaced, updated_at: isoNow(clock) })
      .where('partner_id', '=', former.partner_id)
      .where(sql<boolean>`instr(org_ids, ${former.id}) > 0`),
  )
}

/** Removes an organization from all lists. */
export function deselectOrganization(db: Database, clock: Clock, org: Organization): void {
  const without = sql<
    JsonText<string[]>
  >`(select json_group_array(value) from json_each(org_ids) where value <> ${org.id})`
  db.run(
    q
      .updateTable('partner_users')
      .set({ org_ids: without, updated_at: isoNow(clock) })
      .where('partner_id', '=', org.partner_id)
      .where(sql<boolean>`${org.id} in (select value from json_each(org_ids))`),
  )
}
