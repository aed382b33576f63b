import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'

/**
 * The order a partner prefers its organizations in. It is kept once, as their `display_order`, where lists can sort by
 * it; `settings.organizationOrder` is read from there, so that an organization that is deleted leaves it by itself.
 */

/**
 * Stores what of `wanted` is an organization of the partner, followed by all others in the order of their creation,
 * inside the transaction of the caller; returns the whole list (reference/tenancy.md §5.5).
 */
export function saveOrganizationOrder(db: Database, partnerId: string, wanted: readonly string[]): string[] {
  const all = db.all(existing().select('id').where('partner_id', '=', partnerId).orderBy('created_at').orderBy('id'))
  const known = new Set(all.map(({ id }) => id))
  const chosen = wanted.filter((id) => known.has(id))
  const order = [...new Set([...chosen, ...known])]
  db.run(
    q
      .updateTable('organizations')
      .from(sql<{ key: number; value: string }>`json_each(${JSON.stringify(order)})`.as('wanted'))
      .set(({ ref }) => ({ display_order: ref('wanted.key') }))
      .whereRef('organizations.id', '=', 'wanted.value')
      .whereRef('display_order', '<>', 'wanted.key'),
  )
  return order
}

/** The saved order of each of these partners; empty for one that has saved none or has no organizations. */
export function organizationOrders(db: Database, partnerIds: readonly string[]): Map<string, string[]> {
  const orders = new Map<string, string[]>(partnerIds.map((id) => [id, []]))
  const placed = existing()
    .select(['partner_id', 'id'])
    .where('partner_id', 'in', partnerIds)
    .where('display_order', '<', Number.MAX_SAFE_INTEGER)
    .orderBy('display_order')
  for (const { partner_id, id } of db.all(placed)) orders.get(partner_id)?.push(id)
  return orders
}

const existing = () => q.selectFrom('organizations').where('deleted_at', 'is', null)
