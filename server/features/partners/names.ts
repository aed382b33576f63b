import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { AppError } from '../../platform/errors.ts'

/**
 * A partner goes by its slug and by the local part of the address that takes its mail. Nobody may take the name of
 * another, by whichever of the two and in whatever case. A slug outlives its partner, a local part does not.
 */

/** Those of `names`, in lower case, that partners other than `ownId` go by. */
export function takenNames(db: Database, names: readonly string[], ownId: string | null = null): Set<string> {
  const lower = names.map((name) => name.toLowerCase())
  const others = q.selectFrom('partners').where('id', 'is not', ownId)
  const slugs = others.select(sql<string>`lower(slug)`.as('name')).where(sql`lower(slug)`, 'in', lower)
  const localParts = others
    .select(sql<string>`lower(inbound_local_part)`.as('name'))
    .where(sql`lower(inbound_local_part)`, 'in', lower)
    .where('deleted_at', 'is', null)
  return new Set(db.all(slugs.unionAll(localParts)).map(({ name }) => name))
}

export function assertSlugFree(db: Database, slug: string, ownId: string | null = null): void {
  if (takenNames(db, [slug], ownId).size > 0) throw new AppError('partner_slug_taken')
}

/** Mail to these means the operator of the mail server. */
const reserved = new Set(['postmaster', 'abuse', 'noreply', 'no-reply', 'mailer-daemon', 'webmaster'])
const labelShape = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

export function assertLocalPartUsable(db: Database, localPart: string, ownId: string): void {
  if (!labelShape.test(localPart)) throw new AppError('inbound_local_part_invalid')
  if (reserved.has(localPart)) throw new AppError('inbound_local_part_reserved')
  if (takenNames(db, [localPart], ownId).size > 0) throw new AppError('inbound_local_part_taken')
}
