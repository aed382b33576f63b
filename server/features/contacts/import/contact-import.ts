import { randomUUIDv7 } from 'node:crypto'
import {
  type AcknowledgedRow,
  type ImportErrorCode,
  type ImportResult,
  type ImportRow,
  type importContacts,
  importErrorCode,
  type PreviewedRow,
  type previewContactImport,
} from '../../../../shared/api/contact-import.ts'
import type { BodyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/log.ts'
import { inPieces } from '../../../platform/pieces.ts'
import { type ContactFields, type ContactStore, differing } from '../store.ts'
import { type ContactRow, contactEvent } from '../views.ts'
import { DatabaseSnapshot, type ImportFile, repeatedLinks } from './database-snapshot.ts'
import { type Decision, decide } from './decide.ts'
import { organizationsNamedIn } from './organization-names.ts'
import { outcomeOf } from './outcome.ts'
import { type Wanted, wantedOf } from './wanted.ts'

interface Deps {
  db: Database
  clock: Clock
  log: Log
  audit: Audit
  store: ContactStore
}

/** A row under way: as sent, as meant, and where it stands in the file. */
interface Line<Row = ImportRow> {
  index: number
  row: Row
  wanted: Wanted
}
type Place = Extract<Decision, { annotation: 'create' | 'link-match' | 'email-match' | 'name-match' }>
type Entry = { [List in keyof ImportResult]: [List, ImportResult[List][number]] }[keyof ImportResult]

/** So many rows in one transaction hold the event loop for a few milliseconds. */
const rowsAtOnce = 25
const untilDone = new AbortController().signal

/** Contacts from a file of another system: said in advance what becomes of each row, then done row by row. */
export class ContactImport {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async preview(actor: UserActor, body: BodyOf<typeof previewContactImport>): Promise<{ rows: PreviewedRow[] }> {
    const { lines, file } = await this.#open(actor, body)
    const rows: PreviewedRow[] = []
    await this.#inPieces(lines, (some) => {
      const snapshot = new DatabaseSnapshot(this.#deps.db, file)
      for (const { index, row, wanted } of some) rows.push({ ...row, index, ...told(decide(wanted, snapshot)) })
    })
    return { rows }
  }

  async commit(actor: UserActor, body: BodyOf<typeof importContacts>): Promise<ImportResult> {
    const { lines, file } = await this.#open<AcknowledgedRow>(actor, body)
    const result: ImportResult = { imported: [], updated: [], skipped: [], errors: [] }
    await this.#inPieces(lines, (some) => {
      for (const [list, entry] of this.#commitSome(some, file, body.mode ?? 'skip')) result[list].push(entry as never)
    })
    return result
  }

  async #open<Row extends ImportRow>(actor: UserActor, body: { partnerId?: string | undefined; rows: Row[] }) {
    const { db, clock } = this.#deps
    const partnerId = partnerOf(actor, body.partnerId)
    const lines: Line<Row>[] = body.rows.map((row, index) => ({ index, row, wanted: wantedOf(row) }))
    const all = lines.map(({ wanted }) => wanted)
    const names = await organizationsNamedIn(all, partnerId, db, clock)
    const file: ImportFile = { actor, partnerId, names, repeated: repeatedLinks(all, names) }
    return { lines, file }
  }

  #inPieces<L>(lines: readonly L[], work: (some: readonly L[]) => void): Promise<number> {
    let next = 0
    return inPieces(this.#deps.clock, untilDone, (most) => {
      const some = lines.slice(next, next + Math.min(most, rowsAtOnce))
      work(some)
      next += some.length
      return some.length
    })
  }

  #commitSome(some: readonly Line<AcknowledgedRow>[], file: ImportFile, mode: 'skip' | 'update'): Entry[] {
    const { db, log } = this.#deps
    if (some.length === 0) return []
    try {
      return db.transaction(() => {
        const snapshot = new DatabaseSnapshot(db, file)
        return some.map((line) => this.#commitLine(line, file, snapshot, mode))
      })
    } catch (error) {
      log.error({ err: error }, 'rows of a contact import not written')
      return some.map((line) => failure(line, 'write-failed', notSaved))
    }
  }

  /** All of a row or nothing of it. */
  #commitLine(
    line: Line<AcknowledgedRow>,
    file: ImportFile,
    snapshot: DatabaseSnapshot,
    mode: 'skip' | 'update',
  ): Entry {
    const { db, log } = this.#deps
    const outcome = outcomeOf(decide(line.wanted, snapshot), line.row, mode)
    const { index } = line
    if (outcome.do === 'refuse') return failure(line, outcome.code, outcome.error)
    const { at } = outcome
    const organizationId = at.organization.id
    if (outcome.do === 'skip')
      return ['skipped', { index, organizationId, contactId: outcome.at.contact.id, reason: 'already_linked' }]
    try {
      return db.attempt(() => {
        const { contact, createdLink } =
          'contact' in at ? this.#merge(at.contact, at, line.wanted, file) : this.#create(at, line.wanted, file)
        const saved = { index, organizationId, contactId: contact.id, name: contact.name, createdLink }
        return [outcome.do === 'create' ? 'imported' : 'updated', saved] as Entry
      })
    } catch (error) {
      if (!db.isInTransaction) throw error
      const code = error instanceof AppError ? importErrorCode.safeParse(error.code).data : undefined
      if (error instanceof LinkTaken) return failure(line, 'write-failed', error.message)
      if (code) return failure(line, code, String(error instanceof AppError && error.body().error))
      log.error({ err: error }, 'a row of a contact import not written')
      return failure(line, 'write-failed', notSaved)
    }
  }

  #create(at: Place, wanted: Wanted, { actor, partnerId }: ImportFile) {
    const { store, audit } = this.#deps
    const contact = store.insert(at.organization.id, { ...fieldsOf(wanted, at), isPrimary: false }, actor.userId)
    const createdLink = this.#link(contact, wanted)
    audit(actor, contactEvent('contact.create', contact, partnerId, { source, createdLink }))
    return { contact, createdLink }
  }

  /** Nothing that is so already is written, and nothing is cleared. */
  #merge(before: ContactRow, at: Place, wanted: Wanted, { actor, partnerId }: ImportFile) {
    const { store, audit } = this.#deps
    const createdLink = this.#link(before, wanted)
    const changes = differing(before, fieldsOf(wanted, at))
    const changedFields = Object.keys(changes)
    if (changedFields.length === 0 && !createdLink) return { contact: before, createdLink }
    const contact = store.update(before, changes)
    audit(actor, contactEvent('contact.update', contact, partnerId, { source, createdLink, changedFields }))
    return { contact, createdLink }
  }

  /** True when the contact was not known by this id of the other system before. */
  #link(contact: ContactRow, { externalSystem: system, externalId }: Wanted): boolean {
    const { db, clock } = this.#deps
    if (!externalId) return false
    const holder = db.first(
      q
        .selectFrom('contact_external_links')
        .select('contact_id')
        .where('org_id', '=', contact.org_id)
        .where('system', '=', system)
        .where('external_id', '=', externalId),
    )
    if (holder?.contact_id === contact.id) return false
    if (holder) throw new LinkTaken('externalId: it belongs to another contact already')
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

const source = 'contact_import'
const notSaved = 'The row could not be saved'

/** By a contact that the caller can not see, or the row would have matched it. */
class LinkTaken extends Error {}

function partnerOf(actor: UserActor, wanted: string | undefined): string {
  if (actor.scope === 'system') {
    if (!wanted) throw new AppError('partner_id_required')
    return wanted.toLowerCase()
  }
  if (!actor.partnerId) throw new AppError('partner_required_to_import_contacts')
  if (wanted && wanted.toLowerCase() !== actor.partnerId) throw new AppError('partner_access_denied')
  return actor.partnerId
}

/** What a row says; blank cells say nothing. */
function fieldsOf({ name, email, phone, mobile, title, roles }: Wanted, { siteId }: Place): ContactFields {
  return {
    ...(name && { name }),
    ...(email && { email }),
    ...(phone && { phone }),
    ...(mobile && { mobile }),
    ...(title && { title }),
    ...(roles.length > 0 && { roles: [...new Set(roles)] }),
    ...(siteId && { siteId }),
  }
}

function failure({ index, row }: Line, code: ImportErrorCode, error: string): Entry {
  const organization = row.organization || row.organizationId
  return ['errors', { index, ...(organization && { organization }), error, code }]
}

function told(decision: Decision): Omit<PreviewedRow, Exclude<keyof ImportRow, 'organizationId'> | 'index'> {
  const { annotation } = decision
  const organization = 'organization' in decision ? decision.organization : undefined
  return {
    annotation,
    organizationId: organization?.id ?? null,
    ...(organization && { organizationName: organization.name }),
    siteId: ('siteId' in decision && decision.siteId) || null,
    contactId: 'contact' in decision ? decision.contact.id : null,
    ...('contact' in decision && {
      matchedContactName: decision.contact.name,
      matchedContactEmail: decision.contact.email,
    }),
    ...('reason' in decision && { conflictReason: decision.reason }),
    ...('warning' in decision && { warning: decision.warning }),
  }
}
