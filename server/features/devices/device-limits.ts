import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { AppError } from '../../platform/errors.ts'

/**
 * For whatever makes a device count, inside its transaction: every device counts that is not decommissioned and whose
 * organization is not deleted.
 * @throws AppError `DEVICE_LIMIT_REACHED` when the organization or its partner has as many as it may have
 */
export function assertRoomForDevice(db: Database, orgId: string): void {
  assertRoomInOrganization(db, orgId)
  const partner = db.first(
    q
      .selectFrom('organizations')
      .innerJoin('partners', 'partners.id', 'organizations.partner_id')
      .select(['partner_id', 'partners.max_devices', 'plan'])
      .where('organizations.id', '=', orgId),
  )
  if (partner && partner.plan !== 'unlimited')
    assertBelow(partner.max_devices, () => devicesOfPartner(db, partner.partner_id))
}

/** The same for a device that counts already, in another organization of the partner. */
export function assertRoomInOrganization(db: Database, orgId: string): void {
  const org = db.first(q.selectFrom('organizations').select(['device_count', 'max_devices']).where('id', '=', orgId))
  if (org) assertBelow(org.max_devices, () => org.device_count)
}

function assertBelow(maxDevices: number | null, count: () => number): void {
  if (maxDevices === null) return
  const currentDevices = count()
  if (currentDevices >= maxDevices) throw new AppError('DEVICE_LIMIT_REACHED', { currentDevices, maxDevices })
}

const devicesOfPartner = (db: Database, partnerId: string): number =>
  db.first(
    q
      .selectFrom('organizations')
      .select(sql<number>`coalesce(sum(device_count), 0)`.as('total'))
      .where('partner_id', '=', partnerId)
      .where('deleted_at', 'is', null),
  )?.total ?? 0
