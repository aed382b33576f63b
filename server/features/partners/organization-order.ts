import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../lib/pieces.ts'
import { newPlaces, nowhere, type Placed } from './places.ts'

/**
 * The order a partner prefers its organizations in. It is kept once, as their `display_order`, where lists can sort by
 * it; `settings.organizationOrder` is read from there, so that an organization that is deleted leaves it by itself.
 */

/**
 * Stores what of `wanted` is an organization of the partner, followed by all others in the order of their creation,
 * inside the transaction of the caller; returns the whole list.
 */
export function saveOrganizationOrder(db: Database, partnerId: string, wanted: readonly string[]): string[] {
  const all = db
    .statement<Placed>(
      `SELECT id, display_order AS place FROM organizations
       WHERE partner_id = ? AND deleted_at IS NULL ORDER BY created_at, id`,
    )
    .all(partnerId)
  const byId = new Map(all.map((one) => [one.id, one]))
  const order = [...new Set([...wanted.flatMap((id) => byId.get(id) ?? []), ...all])]
  write(db, newPlaces(order))
  return order.map(({ id }) => id)
}

/**
 * Puts those without a place where they are shown anyway, in small transactions: of ten thousand that are ordered for
 * the first time, only what was moved is left to be written at once.
 */
export async function placeOrganizations(db: Database, partnerId: string): Promise<void> {
  const unplaced = db.statement<Placed>(
    `SELECT id, display_order AS place FROM organizations
     WHERE partner_id = ? AND display_order = ${nowhere} AND deleted_at IS NULL ORDER BY created_at, id LIMIT ?`,
  )
  const last = db.statement<Placed>(
    `SELECT id, display_order AS place FROM organizations
     WHERE partner_id = ? AND display_order < ${nowhere} ORDER BY display_order DESC LIMIT 1`,
  )
  await inPieces(new AbortController().signal, (most) =>
    db.transaction(() => {
      const some = unplaced.all(partnerId, most)
      write(db, newPlaces([...last.all(partnerId), ...some]))
      return some.length
    }),
  )
}

/** The saved order of each of these partners; empty for one that has saved none or has no organizations. */
export function organizationOrders(db: Database, partnerIds: readonly string[]): Map<string, string[]> {
  const orders = new Map<string, string[]>(partnerIds.map((id) => [id, []]))
  const placed = q
    .selectFrom('organizations')
    .select(['partner_id', 'id'])
    .where('deleted_at', 'is', null)
    .where('partner_id', 'in', partnerIds)
    .where('display_order', '<', nowhere)
    .orderBy('display_order')
  for (const { partner_id, id } of db.all(placed)) orders.get(partner_id)?.push(id)
  return orders
}

function write(db: Database, places: readonly Placed[]): void {
  const byId = JSON.stringify(Object.fromEntries(places.map(({ id, place }) => [id, place])))
  db.run(
    q
      .updateTable('organizations')
      .from(sql<{ key: string; value: number }>`json_each(${byId})`.as('wanted'))
      .set(({ ref }) => ({ display_order: ref('wanted.value') }))
      .whereRef('organizations.id', '=', 'wanted.key'),
  )
}
