import { sql } from 'kysely'
import { bestNamed, nameKey, nameOrder } from '../../../../shared/names.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { withinReach } from '../../../db/tenancy.ts'
import { reachesOrg, type UserActor } from '../../../platform/actor.ts'
import { frozenBecause } from '../../organization-access/index.ts'
import type { ContactRow } from '../views.ts'
import type { Organization, Snapshot } from './decide.ts'
import type { Named, OrganizationNames } from './organization-names.ts'
import type { ParsedRow } from './parsed-row.ts'

/** What one import is about: who asks, in which partner, and what its file says as a whole. */
export interface ImportFile {
  /** Every event of the import carries it, so that the log can show them together. */
  id: string
  actor: UserActor
  partnerId: string
  names: OrganizationNames
  /** `linkKey`s that more than one row brings. */
  repeated: ReadonlySet<string>
}

const linkKey = (orgId: string, system: string, externalId: string) => JSON.stringify([orgId, system, externalId])

const idsNamed = ({ organizationId, organization }: ParsedRow, names: OrganizationNames): readonly string[] =>
  organizationId
    ? [organizationId]
    : bestNamed(names.get(nameKey(organization ?? '')) ?? [], organization ?? '').map(({ id }) => id)

export function repeatedLinks(rows: readonly ParsedRow[], names: OrganizationNames): ReadonlySet<string> {
  const [once, again] = [new Set<string>(), new Set<string>()]
  for (const wanted of rows) {
    const [orgId, ...others] = idsNamed(wanted, names)
    if (!orgId || others.length > 0 || !wanted.externalId) continue
    const key = linkKey(orgId, wanted.externalSystem, wanted.externalId)
    if (once.has(key)) again.add(key)
    once.add(key)
  }
  return again
}

/** The database as the caller sees it; good for one transaction, since it remembers organizations and sites. */
export class DatabaseSnapshot implements Snapshot {
  readonly #db: Database
  readonly #file: ImportFile
  readonly #organizations = new Map<string, Organization | null>()
  readonly #sites = new Map<string, Map<string, Named[]>>()

  constructor(db: Database, file: ImportFile) {
    this.#db = db
    this.#file = file
  }

  organizations(wanted: ParsedRow): Organization[] {
    return idsNamed(wanted, this.#file.names).flatMap((id) => this.#organization(id) ?? [])
  }

  sites(orgId: string, { siteId, site: name }: ParsedRow): readonly Named[] {
    const sites = this.#sitesByName(orgId)
    if (siteId) return [...sites.values()].flat().filter(({ id }) => id === siteId)
    return bestNamed(sites.get(nameKey(name ?? '')) ?? [], name ?? '')
  }

  isRepeated(orgId: string, system: string, externalId: string): boolean {
    return this.#file.repeated.has(linkKey(orgId, system, externalId))
  }

  linked(orgId: string, system: string, externalId: string): ContactRow | undefined {
    return this.#db.first(
      this.#contacts(orgId)
        .innerJoin('contact_external_links as link', 'link.contact_id', 'contacts.id')
        .where('link.org_id', '=', orgId)
        .where('link.system', '=', system)
        .where('link.external_id', '=', externalId),
    )
  }

  withEmail(orgId: string, email: string): ContactRow[] {
    return this.#db.all(this.#contacts(orgId).where('email', '=', email).limit(2))
  }

  withName(orgId: string, name: string): ContactRow[] {
    const hasName = sql<boolean>`(name_key is null) = 0`
    return this.#db.all(this.#contacts(orgId).where(hasName).where('name_key', '=', nameOrder(name)).limit(2))
  }

  #contacts(orgId: string) {
    return q
      .selectFrom('contacts')
      .selectAll('contacts')
      .where('contacts.org_id', '=', orgId)
      .where(withinReach(this.#file.actor, 'contacts'))
  }

  #sitesByName(orgId: string): Map<string, Named[]> {
    let sites = this.#sites.get(orgId)
    if (!sites) {
      const query = q.selectFrom('sites').select(['id', 'name']).where('org_id', '=', orgId)
      const seen = this.#db.all(query.where(withinReach(this.#file.actor, 'sites')))
      sites = Map.groupBy(seen, (site) => nameKey(site.name))
      this.#sites.set(orgId, sites)
    }
    return sites
  }

  #organization(id: string): Organization | null {
    const known = this.#organizations.get(id)
    if (known !== undefined) return known
    const { actor, partnerId } = this.#file
    const row = this.#db.first(
      q
        .selectFrom('organizations')
        .select(['id', 'name', 'status'])
        .where('id', '=', id)
        .where('partner_id', '=', partnerId)
        .where('deleted_at', 'is', null),
    )
    const organization =
      row && reachesOrg(actor, id) ? { id, name: row.name, frozen: frozenBecause(this.#db, row) } : null
    this.#organizations.set(id, organization)
    return organization
  }
}
