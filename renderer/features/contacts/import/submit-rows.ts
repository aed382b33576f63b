import { importContacts, type PreviewedRow, previewContactImport } from '../../../../shared/api/contact-import.ts'
import { contactsChanged } from '../../../data/contacts.ts'
import { api } from '../../../lib/api.ts'
import type { Mapping, PreparedRow } from './column-mapping.ts'
import { acknowledged, type Mode, type Outcome, outcomesOf, type Verdict } from './row-outcomes.ts'
import type { Sheet } from './sheet.ts'

interface Target {
  sheet: Sheet
  mapping: Mapping
  partnerId: string | undefined
}

export async function previewPiece(piece: PreparedRow[], partnerId: string | undefined) {
  const body = { partnerId, rows: piece.map(({ row }) => row) }
  const { rows } = await api.call(previewContactImport, { body })
  return rows.flatMap((told): [number, PreviewedRow][] => {
    const row = piece[told.index]
    return row ? [[row.index, told]] : []
  })
}

/** `mayBeDone`: the answer of an earlier try was lost, so that some rows may be linked already; they are looked at anew. */
export async function commitPiece(
  piece: PreparedRow[],
  verdicts: ReadonlyMap<number, Verdict>,
  { sheet, mapping, partnerId }: Target,
  mode: Mode,
  mayBeDone: boolean,
): Promise<[number, Outcome][]> {
  const now = mayBeDone ? new Map(await previewPiece(piece, partnerId)) : null
  const rows = piece.map((one) => {
    const seen = verdicts.get(one.index) as Verdict
    const told = now?.get(one.index)
    const isLinkedNow = told?.annotation === 'link-match' && (!seen.contactId || told.contactId === seen.contactId)
    return acknowledged(one, told && isLinkedNow ? told : seen)
  })
  const result = await api.call(importContacts, { body: { partnerId, rows, mode } })
  // What the lists show is old now, whether or not the rest of the file gets through.
  void contactsChanged()
  return outcomesOf(piece, result, sheet, mapping)
}
