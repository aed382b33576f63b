import type { Selectable } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { AppError } from '../../platform/errors.ts'
import type { PartnerTable } from './tables.ts'

export type PartnerRow = Selectable<PartnerTable>

export const livePartners = () => q.selectFrom('partners').where('deleted_at', 'is', null)

/** Fails with `partner_not_found` for one that never was or is deleted. */
export function findPartner(db: Database, id: string | null): PartnerRow {
  const partner = id === null ? undefined : db.first(livePartners().selectAll().where('id', '=', id))
  if (!partner) throw new AppError('partner_not_found')
  return partner
}
