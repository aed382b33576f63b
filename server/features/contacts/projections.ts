import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type ContactFields, type ContactStore, differing, isPrimary } from './store.ts'
import { type ContactRow, rolesOf } from './views.ts'

/** How somebody is reached, as organizations and sites repeat it. */
export interface ContactDetails {
  name?: string | null | undefined
  email?: string | null | undefined
  phone?: string | null | undefined
}

/**
 * An organization repeats its billing contact, a site its primary contact. Triggers keep the repetition true when a
 * contact changes; this is the other way around: what somebody writes there becomes the contact. Part of the caller's
 * transaction; the caller writes the event.
 */
export class ContactProjections {
  readonly #db: Database
  readonly #store: ContactStore

  constructor(db: Database, store: ContactStore) {
    this.#db = db
    this.#store = store
  }

  /** The column of the organization follows by itself. Null, or nothing in it, leaves nobody with the role. */
  writeBilling(orgId: string, wanted: ContactDetails | null, userId: string | null): void {
    const ways = tidy(wanted)
    const holders = this.#db.all(
      ofOrganization(orgId)
        .where(sql<boolean>`instr(roles, '"billing"') > 0`)
        .orderBy('is_primary', 'desc')
        .orderBy('created_at')
        .orderBy('id'),
    )
    const [holder] = holders
    if (!ways) for (const row of holders) this.#save(row, { roles: without('billing', row) })
    else if (holder) this.#save(holder, ways)
    else {
      const namesake = this.#namesake(ofOrganization(orgId), ways)
      if (namesake) this.#save(namesake, { ...known(ways), roles: including('billing', namesake) })
      else this.#store.insert(orgId, { ...ways, roles: ['billing'], isPrimary: !this.#hasPrimary(orgId) }, userId)
    }
  }

  /** Null, or nothing in it, leaves the site without a primary contact. Touches the column; write it afterwards. */
  writeSite(site: { id: string; org_id: string }, wanted: ContactDetails | null, userId: string | null): void {
    const ways = tidy(wanted)
    const ofSite = q.selectFrom('contacts').selectAll().where('site_id', '=', site.id)
    const primary = this.#db.first(ofSite.where(isPrimary))
    if (!ways) {
      if (primary) this.#save(primary, { isPrimary: false, roles: without('site', primary) })
    } else if (primary) this.#save(primary, { ...ways, roles: including('site', primary) })
    else {
      const namesake = this.#namesake(ofSite, ways)
      if (namesake) this.#save(namesake, { ...known(ways), roles: including('site', namesake), isPrimary: true })
      else this.#store.insert(site.org_id, { ...ways, siteId: site.id, roles: ['site'], isPrimary: true }, userId)
    }
  }

  #namesake(among: typeof contacts, { email }: Required<ContactDetails>): ContactRow | undefined {
    if (!email) return undefined
    return this.#db.first(among.where('email', '=', email).orderBy('created_at').orderBy('id'))
  }

  #hasPrimary(orgId: string): boolean {
    return this.#db.first(ofOrganization(orgId).where(isPrimary)) !== undefined
  }

  #save(row: ContactRow, wanted: ContactFields): void {
    const changes = differing(row, wanted)
    if (Object.keys(changes).length > 0) this.#store.update(row, changes)
  }
}

const contacts = q.selectFrom('contacts').selectAll()
const ofOrganization = (orgId: string) => contacts.where('org_id', '=', orgId).where('site_id', 'is', null)

const including = (role: string, row: ContactRow) => [...new Set([...rolesOf(row), role])]
const without = (role: string, row: ContactRow) => rolesOf(row).filter((one) => one !== role)

/** Trimmed; null when all fields are blank. */
function tidy(wanted: ContactDetails | null) {
  const name = wanted?.name?.trim() || null
  const email = wanted?.email?.toLowerCase().trim() || null
  const phone = wanted?.phone?.trim() || null
  return name || email || phone ? { name, email, phone } : null
}

const known = (ways: ContactDetails): ContactFields =>
  Object.fromEntries(Object.entries(ways).filter(([, text]) => text !== null))
