import { sql } from 'kysely'
import type { createContact, listContacts, updateContact } from '../../../shared/api/contacts.ts'
import type { BodyOf, QueryOf } from '../../../shared/endpoint.ts'
import { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { reachesOrg, reachesSite, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { AppError } from '../../platform/errors.ts'
import { changedFieldsOf } from '../../platform/updates.ts'
import { grantedOrganization, writableOrganization } from '../organization-access/index.ts'
import type { ContactStore } from './store.ts'
import { type ContactRow, contactEvent, contactView } from './views.ts'

/** The people to ask at an organization or at one of its sites. */
export class Contacts {
  readonly #db: Database
  readonly #audit: Audit
  readonly #store: ContactStore
  readonly #totals: CountCache

  constructor(db: Database, audit: Audit, store: ContactStore) {
    this.#db = db
    this.#audit = audit
    this.#store = store
    this.#totals = new CountCache(db, ['contacts'])
  }

  list(actor: UserActor, orgId: string, { page, limit, siteId, role }: QueryOf<typeof listContacts>) {
    if (!reachesOrg(actor, orgId) || !grantedOrganization(this.#db, actor, orgId))
      throw new AppError('organization_not_found')
    if (siteId !== undefined && siteId !== 'none') assertNotBarred(actor, siteId)
    let wanted = q.selectFrom('contacts').where(withinReach(actor, 'contacts')).where('org_id', '=', orgId)
    if (siteId !== undefined) wanted = wanted.where('site_id', 'is', siteId === 'none' ? null : siteId)
    if (role !== undefined) wanted = wanted.where(sql<boolean>`${role} in (select value from json_each(roles))`)
    const rows = this.#db.all(
      wanted
        .selectAll()
        .orderBy(sql`name_key is null`)
        .orderBy('name_key')
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .offset((page - 1) * limit),
    )
    const total = this.#totals.total(wanted.select((select) => select.fn.countAll<number>().as('total')).compile())
    return { data: rows.map(contactView), pagination: { page, limit, total } }
  }

  create(actor: UserActor, orgId: string, wanted: BodyOf<typeof createContact>) {
    return this.#db.transaction(() => {
      const org = writableOrganization(this.#db, actor, orgId)
      const row = this.#store.insert(orgId, wanted, actor.userId, actor.sites)
      this.#audit(actor, contactEvent('contact.create', row, org.partner_id))
      return contactView(row)
    })
  }

  update(actor: UserActor, id: string, wanted: BodyOf<typeof updateContact>) {
    return this.#db.transaction(() => {
      const { contact: before, partnerId } = this.#findToWrite(actor, id)
      const changedFields = changedFieldsOf(wanted)
      const row = this.#store.update(before, wanted, actor.sites)
      this.#audit(actor, contactEvent('contact.update', row, partnerId, { changedFields }))
      return contactView(row)
    })
  }

  remove(actor: UserActor, id: string): void {
    this.#db.transaction(() => {
      const { contact, partnerId } = this.#findToWrite(actor, id)
      this.#store.remove(contact)
      this.#audit(actor, contactEvent('contact.delete', contact, partnerId, { isPrimary: contact.is_primary === 1 }))
    })
  }

  #findToWrite(actor: UserActor, id: string): { contact: ContactRow; partnerId: string } {
    const contact = this.#db.first(q.selectFrom('contacts').selectAll().where('id', '=', id))
    if (!contact) throw new AppError('contact_not_found')
    const org = writableOrganization(this.#db, actor, contact.org_id, 'contact_not_found')
    if (contact.site_id !== null && !reachesSite(actor, contact.site_id)) throw new AppError('contact_not_found')
    return { contact, partnerId: org.partner_id }
  }
}

function assertNotBarred(actor: UserActor, siteId: string): void {
  if (!reachesSite(actor, siteId)) throw new AppError('site_access_denied')
}
