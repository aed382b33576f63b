import { sql } from 'kysely'
import { contactWays } from '../../../shared/api/contacts.ts'
import { isRecord } from '../../../shared/objects.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { ContactDetails, ContactProjections } from './projections.ts'

/**
 * Organizations and sites could say who is to be asked before there were contacts: those people become contacts, before
 * anybody is served. Since then nothing is said there without a contact, so that it is done once. Whatever else a site
 * says stays beside it.
 */
export function adoptFormerContacts(db: Database, projections: ContactProjections): void {
  db.transaction(() => {
    for (const { id, billing_contact } of formerOrganizations(db))
      projections.writeBilling(id, waysIn(billing_contact), null)
    for (const site of formerSites(db)) projections.writeSite(site, waysIn(site.contact), null)
  })
}

const formerOrganizations = (db: Database) =>
  db.all(
    q
      .selectFrom('organizations')
      .select(['id', 'billing_contact'])
      .where('billing_contact', 'is not', null)
      .where('billing_contact_id', 'is', null),
  )

const formerSites = (db: Database) =>
  db.all(
    q
      .selectFrom('sites')
      .select(['id', 'org_id', 'contact'])
      .where('contact', 'is not', null)
      .where(
        sql<boolean>`not exists (select 1 from contacts where contacts.site_id = sites.id and contacts.is_primary = 1)`,
      ),
  )

/** As far as it would be accepted today. */
function waysIn(stored: string | null): ContactDetails {
  const parsed: unknown = JSON.parse(stored ?? 'null')
  const former = isRecord(parsed) ? parsed : {}
  const of = (way: keyof typeof contactWays) => contactWays[way].safeParse(former[way]).data ?? null
  return { name: of('name'), email: of('email'), phone: of('phone') }
}
