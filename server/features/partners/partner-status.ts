import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson } from '../../lib/json.ts'
import { AppError } from '../../platform/errors.ts'

/** Reads on which it depends whether a company may work; one that fails lets nobody through. */
export function orLookupUnavailable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new AppError('PARTNER_LOOKUP_UNAVAILABLE', {}, { cause: error })
  }
}

/** How a partner stands and what it tells people meanwhile; undefined once it is gone. */
export const findPartnerStatus = (db: Database, partnerId: string) =>
  orLookupUnavailable(() => {
    const partner = db.first(
      q
        .selectFrom('partners')
        .select(['id', 'name', 'slug', 'status', 'settings'])
        .where('id', '=', partnerId)
        .where('deleted_at', 'is', null),
    )
    if (!partner) return undefined
    const { settings, ...standing } = partner
    const stored = fromJson(settings)
    const text = (value: unknown) => (typeof value === 'string' ? value : null)
    return {
      ...standing,
      statusMessage: text(stored.statusMessage),
      statusActionUrl: text(stored.statusActionUrl),
      statusActionLabel: text(stored.statusActionLabel),
    }
  })
