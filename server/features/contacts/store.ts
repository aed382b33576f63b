import { randomUUIDv7 } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { sql, type Updateable } from 'kysely'
import { type ContactRole, contactRole, type updateContact } from '../../../shared/api/contacts.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import { nameOrder } from '../../../shared/names.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type JsonText, toJson } from '../../lib/json.ts'
import { reachesSite, type UserActor } from '../../platform/actor.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { ContactTable } from './tables.ts'
import { type ContactRow, contactView } from './views.ts'

/** Those the caller is confined to: to them no other site is one of the organization. */
type Sites = UserActor['sites']

export type ContactFields = Partial<BodyOf<typeof updateContact>>

/** Word for word the condition of the indexes of primary contacts. */
export const isPrimary = sql<boolean>`is_primary = 1`

/** Of the wanted fields those that are not so already. */
export const differing = (row: ContactRow, wanted: ContactFields): ContactFields => {
  const view: Record<string, unknown> = contactView(row)
  return Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => value !== undefined && !isDeepStrictEqual(value, view[field])),
  )
}

/**
 * Writes contacts and keeps what always holds of them; part of the caller's transaction. Triggers repeat the billing
 * contact in its organization and the primary contact of a site in the site.
 * @throws AppError `invalid-role`, `site-not-in-org`, `no-identifier`, in this order
 */
export class ContactStore {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  insert(orgId: string, wanted: ContactFields, createdBy: string | null, sites: Sites = null): ContactRow {
    const now = isoNow(this.#clock)
    const row: ContactRow = {
      id: randomUUIDv7(),
      org_id: orgId,
      site_id: null,
      name: null,
      name_key: null,
      email: null,
      phone: null,
      mobile: null,
      title: null,
      roles: toJson<ContactRole[]>([]),
      is_primary: 0,
      notes: null,
      created_by: createdBy,
      created_at: now,
      updated_at: now,
      ...columnsOf(wanted),
    }
    this.#assertSound(row, sites)
    this.#demoteOthers(row)
    this.#db.run(q.insertInto('contacts').values(row))
    return row
  }

  update(before: ContactRow, wanted: ContactFields, sites: Sites = null): ContactRow {
    const changes = { ...columnsOf(wanted), updated_at: isoNow(this.#clock) }
    const row: ContactRow = { ...before, ...changes }
    this.#assertSound(row, sites)
    this.#demoteOthers(row)
    this.#db.run(q.updateTable('contacts').set(changes).where('id', '=', row.id))
    return row
  }

  remove({ id }: ContactRow): void {
    this.#db.run(q.deleteFrom('contacts').where('id', '=', id))
  }

  #assertSound(row: ContactRow, sites: Sites): void {
    const isPlaced =
      row.site_id === null || (this.#isSiteOf(row.org_id, row.site_id) && reachesSite({ sites }, row.site_id))
    if (!isPlaced) throw new AppError('site-not-in-org')
    if (![row.name, row.email, row.phone, row.mobile].some((text) => text?.trim())) throw new AppError('no-identifier')
  }

  #isSiteOf(orgId: string, siteId: string): boolean {
    const site = this.#db.first(q.selectFrom('sites').select('id').where('id', '=', siteId).where('org_id', '=', orgId))
    return site !== undefined
  }

  /** Before there is another primary contact of the organization or site: the index admits one at any time. */
  #demoteOthers({ id, org_id, site_id, is_primary }: ContactRow): void {
    if (is_primary === 0) return
    this.#db.run(
      q
        .updateTable('contacts')
        .set({ is_primary: 0, updated_at: isoNow(this.#clock) })
        .where('org_id', '=', org_id)
        .where('site_id', 'is', site_id)
        .where(isPrimary)
        .where('id', '<>', id),
    )
  }
}

/** Each once. */
function rolesText(words: readonly string[]): JsonText<ContactRole[]> {
  const roles = words.map((word) => {
    const { data } = contactRole.safeParse(word)
    if (!data) throw new AppError('invalid-role', { error: `There is no role ${JSON.stringify(word)}` })
    return data
  })
  return toJson([...new Set(roles)])
}

function columnsOf({ name, roles, siteId, isPrimary, ...texts }: ContactFields): Updateable<ContactTable> & object {
  const { email, phone, mobile, title, notes } = texts
  return {
    ...(roles !== undefined && { roles: rolesText(roles ?? []) }),
    ...(name !== undefined && { name, name_key: name === null ? null : nameOrder(name) }),
    ...(email !== undefined && { email }),
    ...(phone !== undefined && { phone }),
    ...(mobile !== undefined && { mobile }),
    ...(title !== undefined && { title }),
    ...(notes !== undefined && { notes }),
    ...(siteId !== undefined && { site_id: siteId }),
    ...(isPrimary !== undefined && { is_primary: isPrimary ? 1 : 0 }),
  }
}
