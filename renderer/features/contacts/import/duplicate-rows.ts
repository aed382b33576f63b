import type { ImportRow, PreviewedRow } from '../../../../shared/api/contact-import.ts'
import { nameKey } from '../../../../shared/names.ts'
import { columnReason, fieldIn, type Mapping, type PreparedRow } from './column-mapping.ts'
import { isImpossible, isSelected, type Mode, type RowSelection, type RowVerdict } from './row-outcomes.ts'
import type { Sheet } from './sheet.ts'

/**
 * Adjusts the verdicts for rows that an earlier row of the file changes, or that mean the same contact as an earlier
 * row and have no id to add. The preview compares each row with the stored contacts only; the import also takes the
 * selected rows before it into account. The first row of a person wins, so that importing the file again gives the
 * same result.
 */
export function markDuplicates(
  rows: readonly PreparedRow[],
  verdicts: ReadonlyMap<number, RowVerdict>,
  previewed: ReadonlyMap<number, PreviewedRow>,
  { sheet, mapping, selection, mode }: { sheet: Sheet; mapping: Mapping; selection: RowSelection; mode: Mode },
): Map<number, RowVerdict> {
  const changes: Changes = { met: new Map(), gained: new Map(), lost: new Map() }
  const result = new Map(verdicts)
  for (const line of rows) {
    const [verdict, rowPreview] = [verdicts.get(line.index), previewed.get(line.index)]
    if (!verdict || !rowPreview || isImpossible(verdict)) continue
    const isLeftAsItIs = verdict.annotation === 'link-match' && mode === 'skip'
    const { reason, sayer } = isLeftAsItIs ? {} : conflictOf(line.row, rowPreview, changes)
    if (reason) {
      const what = { reason: columnReason(reason, sheet, mapping), field: fieldIn(reason) }
      result.set(line.index, { ...verdict, ...what, annotation: 'repeated' })
      // A selected row may become the contact that a later row matches by address or name.
      if (!selection.leftOut.has(line.index)) noteGained(changes, line, rowPreview)
      continue
    }
    if (sayer) result.set(line.index, { ...verdict, note: joining(sayer) })
    if (isSelected(line.index, verdict, selection)) noteSelected(changes, line, rowPreview, isLeftAsItIs)
  }
  return result
}

/** Each entry is the number of the first row that made the change. */
interface Changes {
  /** Ids of contacts that a row matches. */
  met: Map<string, number>
  /** Addresses and names that a contact has after a row, or would have if the row were not refused. */
  gained: Map<string, number>
  /** Addresses and names that a contact loses. */
  lost: Map<string, number>
}

function noteSelected(changes: Changes, line: PreparedRow, rowPreview: PreviewedRow, isLeftAsItIs: boolean): void {
  if (rowPreview.contactId && !changes.met.has(rowPreview.contactId)) changes.met.set(rowPreview.contactId, line.number)
  if (isLeftAsItIs) return
  for (const was of noteGained(changes, line, rowPreview))
    if (!changes.lost.has(was)) changes.lost.set(was, line.number)
}

/** Returns the placeholder used as the contact's id until the row is written. */
function noteGained({ gained }: Changes, { number, row }: PreparedRow, rowPreview: PreviewedRow): string[] {
  const after = keysOf(row, rowPreview)
  const before = keysOf({ email: rowPreview.matchedContactEmail, name: rowPreview.matchedContactName }, rowPreview)
  return (['email', 'name'] as const).flatMap((field) => {
    const [is, was] = [after[field], before[field]]
    if (!is || is === was) return []
    if (!gained.has(is)) gained.set(is, number)
    return was ?? []
  })
}

interface Keys {
  email: string | null
  name: string | null
}

function keysOf({ email, name }: Pick<ImportRow, 'email' | 'name'>, { organizationId }: PreviewedRow): Keys {
  const key = (field: keyof Keys, text: string | null | undefined) =>
    text?.trim() ? `${field} ${organizationId} ${nameKey(text)}` : null
  return { email: key('email', email), name: key('name', name) }
}

const joining = (number: number) =>
  `Row ${number} is the same contact. This one adds its ID and anything that’s still blank.`

/**
 * Why a row cannot be imported after the rows before it; otherwise the row that determines the contact, if there is
 * one.
 */
function conflictOf(row: ImportRow, rowPreview: PreviewedRow, changes: Changes): { reason?: string; sayer?: number } {
  const isOwn = Boolean(row.externalId)
  const reason = reasonOf(keysOf(row, rowPreview), rowPreview, isOwn ? { ...changes, met: new Map() } : changes)
  if (reason) return { reason }
  const sayer = rowPreview.contactId === null ? undefined : changes.met.get(rowPreview.contactId)
  return sayer === undefined ? {} : { sayer }
}

/** What the kind of a row was decided by. */
function reasonOf({ email, name }: Keys, rowPreview: PreviewedRow, { met, gained, lost }: Changes): string | null {
  const by = (numbers: ReadonlyMap<string, number>, key: string | null, say: (row: string) => string) => {
    const number = key === null ? undefined : numbers.get(key)
    return number === undefined ? null : say(`row ${number}`)
  }
  const sameEmail = by(gained, email, (row) => `email: ${row} has the same address`)
  const sameName = by(gained, name, (row) => `name: ${row} has the same name`)
  const otherEmail = by(lost, email, (row) => `email: ${row} changes the contact that has this address`)
  const sameContact = (field: string) => by(met, rowPreview.contactId, (row) => `${field}: ${row} is the same contact`)
  const otherName = by(lost, name, (row) => `name: ${row} changes the contact that has this name`)
  switch (rowPreview.annotation) {
    case 'create':
      // Several contacts have the address or name already, so one more changes nothing.
      if (rowPreview.warning) return rowPreview.warning.startsWith('email:') ? otherEmail : (sameEmail ?? otherName)
      return sameEmail ?? sameName
    case 'email-match':
      return sameEmail ?? otherEmail ?? sameContact('email')
    case 'name-match':
      return sameEmail ?? sameName ?? otherName ?? sameContact('name')
    default:
      return null
  }
}
