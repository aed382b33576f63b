import type { ImportRow, PreviewedRow } from '../../../shared/api/contact-import.ts'
import { nameKey } from '../../../shared/names.ts'
import { columnReason, fieldIn, type Mapping, type PreparedRow } from './mapping.ts'
import { isImpossible, isTicked, type Mode, type Ticks, type Verdict } from './outcomes.ts'
import type { Sheet } from './sheet.ts'

/**
 * The verdicts, but for rows that a row before makes into something else. The preview tells what each row is to the
 * contacts there are; the import decides it after what is ticked of the rows before.
 */
export function withRepeats(
  rows: readonly PreparedRow[],
  verdicts: ReadonlyMap<number, Verdict>,
  previewed: ReadonlyMap<number, PreviewedRow>,
  { sheet, mapping, ticks, mode }: { sheet: Sheet; mapping: Mapping; ticks: Ticks; mode: Mode },
): Map<number, Verdict> {
  const changes: Changes = { gained: new Map(), lost: new Map() }
  const result = new Map(verdicts)
  for (const { index, number, row } of rows) {
    const [verdict, told] = [verdicts.get(index), previewed.get(index)]
    if (!verdict || !told || isImpossible(verdict)) continue
    const reason = reasonOf(keysOf(row, told), told, changes)
    const isWritten = isTicked(index, verdict, ticks) && (verdict.annotation !== 'link-match' || mode === 'update')
    if (reason) {
      const what = { reason: columnReason(reason, sheet, mapping), field: fieldIn(reason) }
      result.set(index, { ...verdict, ...what, annotation: 'repeated' })
    } else if (isWritten) note(changes, number, row, told)
  }
  return result
}

/** Addresses and names that a contact has by a row, or has no longer; with the number of that row. */
interface Changes {
  gained: Map<string, number>
  lost: Map<string, number>
}

function note({ gained, lost }: Changes, number: number, row: ImportRow, told: PreviewedRow): void {
  const after = keysOf(row, told)
  const before = keysOf({ email: told.matchedContactEmail, name: told.matchedContactName }, told)
  for (const field of ['email', 'name'] as const) {
    const [is, was] = [after[field], before[field]]
    if (!is || is === was) continue
    if (!gained.has(is)) gained.set(is, number)
    if (was && !lost.has(was)) lost.set(was, number)
  }
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

/** What each kind of row was decided by (reference/tenancy.md §11.2). */
function reasonOf({ email, name }: Keys, told: PreviewedRow, { gained, lost }: Changes): string | null {
  const by = (numbers: ReadonlyMap<string, number>, key: string | null, say: (row: string) => string) => {
    const number = key === null ? undefined : numbers.get(key)
    return number === undefined ? null : say(`row ${number}`)
  }
  const sameEmail = by(gained, email, (row) => `email: ${row} has the same address`)
  const sameName = by(gained, name, (row) => `name: ${row} has the same name`)
  const otherEmail = by(lost, email, (row) => `email: ${row} changes the contact that has this address`)
  const otherName = by(lost, name, (row) => `name: ${row} changes the contact that has this name`)
  switch (told.annotation) {
    case 'create':
      // Several have its address, or its name: one more of them changes nothing.
      if (told.warning) return told.warning.startsWith('email:') ? otherEmail : (sameEmail ?? otherName)
      return sameEmail ?? sameName
    case 'email-match':
      return sameEmail ?? otherEmail
    case 'name-match':
      return sameEmail ?? sameName ?? otherName
    default:
      return null
  }
}
