import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces, untilDone } from '../../lib/pieces.ts'
import { newPositions, type Positioned, unpositioned } from './display-positions.ts'

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
    .statement<Positioned>(
      `SELECT id, display_order AS position FROM organizations
       WHERE partner_id = ? AND deleted_at IS NULL ORDER BY created_at, id`,
    )
    .all(partnerId)
  const byId = new Map(all.map((one) => [one.id, one]))
  const order = [...new Set([...wanted.flatMap((id) => byId.get(id) ?? []), ...all])]
  write(db, newPositions(order))
  return order.map(({ id }) => id)
}

/**
 * Puts those without a position where they are shown anyway, in small transactions: of ten thousand that are ordered for
 * the first time, only what was moved is left to be written at once.
 */
export async function placeOrganizations(db: Database, partnerId: string): Promise<void> {
  const withoutPosition = db.statement<Positioned>(
    `SELECT id, display_order AS position FROM organizations
     WHERE partner_id = ? AND display_order = ${unpositioned} AND deleted_at IS NULL ORDER BY created_at, id LIMIT ?`,
  )
  const last = db.statement<Positioned>(
    `SELECT id, display_order AS position FROM organizations
     WHERE partner_id = ? AND display_order < ${unpositioned} ORDER BY display_order DESC LIMIT 1`,
  )
  await inPieces(untilDone, (maxRows) =>
    db.transaction(() => {
      const some = withoutPosition.all(partnerId, maxRows)
      write(db, newPositions([...last.all(partnerId), ...some]))
      return some.length
    }),
  )
}

/** The saved order of each of these partners; empty for one that has saved none or has no organizations. */
export function organizationOrders(db: Database, partnerIds: readonly string[]): Map<string, string[]> {
  const orders = new Map<string, string[]>(partnerIds.map((id) => [id, []]))
  const positioned = q
    .selectFrom('organizations')
    .select(['partner_id', 'id'])
    .where('deleted_at', 'is', null)
    .where('partner_id', 'in', partnerIds)
    .where('display_order', '<', unpositioned)
    .orderBy('display_order')
  for (const { partner_id, id } of db.all(positioned)) orders.get(partner_id)?.push(id)
  return orders
}

function write(db: Database, positions: readonly Positioned[]): void {
  const byId = JSON.stringify(Object.fromEntries(positions.map(({ id, position }) => [id, position])))
  db.run(
    q
      .updateTable('organizations')
      .from(sql<{ key: string; value: number }>`json_each(${byId})`.as('wanted'))
      .set(({ ref }) => ({ display_order: ref('wanted.value') }))
      .whereRef('organizations.id', '=', 'wanted.key'),
  )
}
