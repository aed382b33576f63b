import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson } from '../../lib/json.ts'
import { firstTimeZone } from './time-zone.ts'

/** What the devices of an organization have in common: its storages, and the time zones of its sites. */
export class OrganizationFacts {
  readonly #active: ReadonlySet<string>
  readonly #default: string | null
  readonly #siteZones: ReadonlyMap<string, string>
  readonly #ownZones: readonly unknown[]
  readonly #zones = new Map<string, string>()

  constructor(db: Database, orgId: string) {
    const storages = db.all(
      q
        .selectFrom('backup_configs')
        .select(['id', 'is_default'])
        .where('org_id', '=', orgId)
        .where('is_active', '=', 1),
    )
    this.#active = new Set(storages.map(({ id }) => id))
    this.#default = storages.find(({ is_default }) => is_default === 1)?.id ?? null
    const sites = db.all(q.selectFrom('sites').select(['id', 'timezone']).where('org_id', '=', orgId))
    this.#siteZones = new Map(sites.map(({ id, timezone }) => [id, timezone]))
    this.#ownZones = ownZones(db, orgId)
  }

  /** The storage that is named, or the default; null for one that is switched off or of another organization. */
  storage(named: string | null): string | null {
    if (named === null) return this.#default
    return this.#active.has(named) ? named : null
  }

  timeZone(named: unknown, siteId: string): string {
    const key = `${typeof named === 'string' ? named : ''} ${siteId}`
    const known = this.#zones.get(key)
    if (known !== undefined) return known
    const zone = firstTimeZone([named, this.#siteZones.get(siteId), ...this.#ownZones])
    this.#zones.set(key, zone)
    return zone
  }
}

/** Of the organization as a whole, whatever its sites have. */
export const timeZoneOfOrganization = (db: Database, orgId: string): string => firstTimeZone(ownZones(db, orgId))

/** What organization and company say, which may be nothing. */
function ownZones(db: Database, orgId: string): readonly unknown[] {
  const { settings, timezone } = db.one(
    q
      .selectFrom('organizations')
      .innerJoin('partners', 'partners.id', 'organizations.partner_id')
      .select(['organizations.settings', 'partners.timezone'])
      .where('organizations.id', '=', orgId),
  )
  return [fromJson(settings).timezone, timezone]
}
