import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { type ContactFields, type ContactStore, differing } from '../store.ts'
import { type ContactRow, contactEvent, contactView } from '../views.ts'
import type { ImportFile } from './database-snapshot.ts'
import type { Place } from './decide.ts'
import type { ParsedRow } from './parsed-row.ts'

export interface RowWriterServices {
  db: Database
  clock: Clock
  audit: Audit
  store: ContactStore
}

/** The row's id of the other system belongs to a contact that the caller can not see, or the row would have matched it. */
export class LinkTaken extends Error {
  override message = 'externalId: it is already linked to another contact'
}

export interface Saved {
  contact: ContactRow
  createdLink: boolean
}

const source = 'contact_import'

/** Writes the contact of one row, with its link and its event; part of the caller's transaction. */
export class RowWriter {
  readonly #services: RowWriterServices

  constructor(services: RowWriterServices) {
    this.#services = services
  }

  create(wanted: ParsedRow, place: Place, { id: importId, actor, partnerId }: ImportFile): Saved {
    const { store, audit } = this.#services
    const contact = store.insert(place.organization.id, fieldsOf(wanted, place), actor.userId)
    const createdLink = this.#link(contact, wanted)
    audit(actor, contactEvent('contact.create', contact, partnerId, { source, importId, createdLink }))
    return { contact, createdLink }
  }

  /** Clears nothing, and writes nothing that is so already. */
  merge(before: ContactRow, wanted: ParsedRow, place: Place, file: ImportFile): Saved {
    return this.#save(before, wanted, fieldsOf(wanted, place), file)
  }

  /** As `merge`, but what is there already stays. */
  join(before: ContactRow, wanted: ParsedRow, place: Place, file: ImportFile): Saved {
    return this.#save(before, wanted, missingIn(before, fieldsOf(wanted, place)), file)
  }

  #save(before: ContactRow, wanted: ParsedRow, fields: ContactFields, file: ImportFile): Saved {
    const { store, audit } = this.#services
    const { id: importId, actor, partnerId } = file
    const createdLink = this.#link(before, wanted)
    const changes = differing(before, fields)
    const changedFields = Object.keys(changes)
    if (changedFields.length === 0 && !createdLink) return { contact: before, createdLink }
    const contact = store.update(before, changes)
    audit(actor, contactEvent('contact.update', contact, partnerId, { source, importId, createdLink, changedFields }))
    return { contact, createdLink }
  }

  /** True when the contact was not known by this id of the other system before. */
  #link(contact: ContactRow, { externalSystem: system, externalId }: ParsedRow): boolean {
    const { db, clock } = this.#services
    if (!externalId) return false
    const links = q.selectFrom('contact_external_links').select('contact_id').where('org_id', '=', contact.org_id)
    const holder = db.first(links.where('system', '=', system).where('external_id', '=', externalId))
    if (holder?.contact_id === contact.id) return false
    if (holder) throw new LinkTaken()
    db.run(
      q.insertInto('contact_external_links').values({
        id: randomUUIDv7(),
        org_id: contact.org_id,
        contact_id: contact.id,
        system,
        external_id: externalId,
        created_at: isoNow(clock),
      }),
    )
    return true
  }
}

function missingIn(row: ContactRow, fields: ContactFields): ContactFields {
  const view: Record<string, unknown> = contactView(row)
  const isMissing = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(fields).filter(([field]) => isMissing(view[field])))
}

/** What a row says; blank cells say nothing. */
function fieldsOf({ name, email, phone, mobile, title, notes, roles }: ParsedRow, { siteId }: Place): ContactFields {
  return {
    ...(name && { name }),
    ...(email && { email }),
    ...(phone && { phone }),
    ...(mobile && { mobile }),
    ...(title && { title }),
    ...(notes && { notes }),
    ...(roles.length > 0 && { roles: [...new Set(roles)] }),
    ...(siteId && { siteId }),
  }
}
