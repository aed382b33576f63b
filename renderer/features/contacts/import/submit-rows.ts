import type { PreviewedRow } from '../../../../shared/api/contact-import.ts'
import { importRows, previewImportRows } from '../../../data/contact-import.ts'
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
  const { rows } = await previewImportRows(body)
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
  const result = await importRows({ partnerId, rows, mode })
  return outcomesOf(piece, result, sheet, mapping)
}
