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
import { inPieces, untilDone } from '../../../lib/pieces.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/log.ts'
import { DatabaseSnapshot, type ImportFile, repeatedLinks } from './database-snapshot.ts'
import { type Decision, decide } from './decide.ts'
import { organizationsNamedIn } from './organization-names.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { type ParsedRow, parseRow } from './parsed-row.ts'
import { LinkTaken, RowWriter, type RowWriterServices, type Saved } from './row-writer.ts'

/** A row as sent, as meant, and where it stands in the file. */
interface Line<Row = ImportRow> {
  index: number
  row: Row
  wanted: ParsedRow
}
interface OpenBody<Row> {
  partnerId?: string | undefined
  importId?: string | undefined
  rows: Row[]
}
/** What became of a row, and the list of the result it belongs to. */
type Entry = { [List in keyof ImportResult]: [List, ImportResult[List][number]] }[keyof ImportResult]
type Mode = 'skip' | 'update'

/** Rows in one transaction, which takes a few milliseconds. */
const rowsPerBatch = 25
const notSaved = 'The row could not be saved'

/** Imports contacts from another system: a preview of what becomes of each row, then the import, row by row. */
export class ContactImport {
  readonly #services: RowWriterServices & { log: Log }
  readonly #writer: RowWriter

  constructor(services: RowWriterServices & { log: Log }) {
    this.#services = services
    this.#writer = new RowWriter(services)
  }

  async preview(actor: UserActor, body: BodyOf<typeof previewContactImport>): Promise<{ rows: PreviewedRow[] }> {
    const { lines, file } = await this.#open(actor, body)
    const rows: PreviewedRow[] = []
    await this.#inPieces(lines, (some) => {
      const snapshot = new DatabaseSnapshot(this.#services.db, file)
      for (const { index, row, wanted } of some) rows.push({ ...row, index, ...previewOf(decide(wanted, snapshot)) })
    })
    return { rows }
  }

  async commit(actor: UserActor, body: BodyOf<typeof importContacts>): Promise<ImportResult> {
    const { lines, file } = await this.#open<AcknowledgedRow>(actor, body)
    const result: ImportResult = { imported: [], updated: [], skipped: [], errors: [] }
    const taken = new Set<string>()
    await this.#inPieces(lines, (some) => {
      for (const saved of this.#commitSome(some, file, taken, body.mode ?? 'skip')) {
        addTo(result, saved)
        const [, entry] = saved
        if ('contactId' in entry) taken.add(entry.contactId)
      }
    })
    return result
  }

  async #open<Row extends ImportRow>(actor: UserActor, body: OpenBody<Row>) {
    const { db } = this.#services
    const partnerId = partnerOf(actor, body.partnerId)
    const lines: Line<Row>[] = body.rows.map((row, index) => ({ index, row, wanted: parseRow(row) }))
    const all = lines.map(({ wanted }) => wanted)
    const names = await organizationsNamedIn(all, actor, partnerId, db)
    const file: ImportFile = {
      id: body.importId ?? randomUUIDv7(),
      actor,
      partnerId,
      names,
      repeated: repeatedLinks(all, names),
    }
    return { lines, file }
  }

  #inPieces<L>(lines: readonly L[], work: (some: readonly L[]) => void): Promise<number> {
    let next = 0
    return inPieces(untilDone, (maxRows) => {
      const some = lines.slice(next, next + Math.min(maxRows, rowsPerBatch))
      next += some.length
      if (some.length > 0) work(some)
      return some.length
    })
  }

  /** `taken`: contacts that the rows before mean. */
  #commitSome(
    some: readonly Line<AcknowledgedRow>[],
    file: ImportFile,
    taken: ReadonlySet<string>,
    mode: Mode,
  ): Entry[] {
    const { db, log } = this.#services
    try {
      return db.transaction(() => {
        const snapshot = new DatabaseSnapshot(db, file)
        const entries: Entry[] = []
        const isTaken = (id: string) =>
          taken.has(id) || entries.some(([, entry]) => 'contactId' in entry && entry.contactId === id)
        for (const line of some) {
          const outcome = outcomeOf(decide(line.wanted, snapshot), line, mode, isTaken)
          entries.push(this.#commitLine(line, outcome, file))
        }
        return entries
      })
    } catch (error) {
      // SQLite itself rolls back on some errors, such as a full disk.
      log.error({ err: error }, 'rows of a contact import not written')
      return some.map((line) => failure(line, 'write-failed', notSaved))
    }
  }

  #commitLine(line: Line<AcknowledgedRow>, outcome: Outcome, file: ImportFile): Entry {
    const { db } = this.#services
    const { index, wanted } = line
    if (outcome.do === 'refuse') return failure(line, outcome.code, outcome.error)
    const organizationId = outcome.at.organization.id
    if (outcome.do === 'skip')
      return ['skipped', { index, organizationId, contactId: outcome.at.contact.id, reason: 'already_linked' }]
    try {
      const { contact, createdLink } = db.attempt(() => this.#write(outcome, wanted, file))
      const saved = { index, organizationId, contactId: contact.id, name: contact.name, createdLink }
      return [outcome.do === 'create' ? 'imported' : 'updated', saved]
    } catch (error) {
      if (!db.isInTransaction) throw error
      return this.#refused(line, error)
    }
  }

  #write(outcome: Exclude<Outcome, { do: 'refuse' | 'skip' }>, wanted: ParsedRow, file: ImportFile): Saved {
    switch (outcome.do) {
      case 'create':
        return this.#writer.create(wanted, outcome.at, file)
      case 'merge':
        return this.#writer.merge(outcome.at.contact, wanted, outcome.at, file)
      case 'join':
        return this.#writer.join(outcome.at.contact, wanted, outcome.at, file)
    }
  }

  #refused(line: Line, error: unknown): Entry {
    if (error instanceof LinkTaken) return failure(line, 'write-failed', error.message)
    const code = error instanceof AppError ? importErrorCode.safeParse(error.code).data : undefined
    if (error instanceof AppError && code) return failure(line, code, error.body().error)
    this.#services.log.error({ err: error }, 'a row of a contact import not written')
    return failure(line, 'write-failed', notSaved)
  }
}

function addTo(result: ImportResult, [list, entry]: Entry): void {
  switch (list) {
    case 'imported':
      result.imported.push(entry)
      return
    case 'updated':
      result.updated.push(entry)
      return
    case 'skipped':
      result.skipped.push(entry)
      return
    case 'errors':
      result.errors.push(entry)
  }
}

function partnerOf(actor: UserActor, wanted: string | undefined): string {
  if (actor.scope === 'system') {
    if (!wanted) throw new AppError('partner_id_required')
    return wanted
  }
  if (!actor.partnerId) throw new AppError('partner_required_to_import_contacts')
  if (wanted && wanted !== actor.partnerId) throw new AppError('partner_access_denied')
  return actor.partnerId
}

function failure({ index, row }: Line, code: ImportErrorCode, error: string): Entry {
  const organization = row.organization || row.organizationId
  return ['errors', { index, ...(organization && { organization }), error, code }]
}

function previewOf(
  decision: Decision,
): Omit<PreviewedRow, Exclude<keyof ImportRow, 'organizationId' | 'siteId'> | 'index'> {
  const organization = 'organization' in decision ? decision.organization : undefined
  const contact = 'contact' in decision ? decision.contact : undefined
  return {
    annotation: decision.annotation,
    organizationId: organization?.id ?? null,
    ...(organization && { organizationName: organization.name }),
    siteId: ('siteId' in decision && decision.siteId) || null,
    contactId: contact?.id ?? null,
    ...(contact && { matchedContactName: contact.name, matchedContactEmail: contact.email }),
    ...('reason' in decision && { conflictReason: decision.reason }),
    ...('warning' in decision && { warning: decision.warning }),
  }
}
