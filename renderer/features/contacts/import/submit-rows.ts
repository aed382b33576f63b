import type { PreviewedRow } from '../../../../shared/api/contact-import.ts'
import { importRows, previewImportRows } from '../../../data/contact-import.ts'
import type { Mapping, PreparedRow } from './column-mapping.ts'
import { type Mode, type Outcome, outcomesOf, type RowVerdict, withAcknowledgement } from './row-outcomes.ts'
import type { Sheet } from './sheet.ts'

interface Target {
  sheet: Sheet
  mapping: Mapping
  partnerId: string | undefined
  importId: string
}

export async function previewBatch(piece: PreparedRow[], partnerId: string | undefined) {
  const body = { partnerId, rows: piece.map(({ row }) => row) }
  const { rows } = await previewImportRows(body)
  return rows.flatMap((previewed): [number, PreviewedRow][] => {
    const row = piece[previewed.index]
    return row ? [[row.index, previewed]] : []
  })
}

/** `mayBeDone`: the reply of an earlier try was lost, so some rows may be linked already and are previewed again. */
export async function commitBatch(
  piece: PreparedRow[],
  verdicts: ReadonlyMap<number, RowVerdict>,
  { sheet, mapping, partnerId, importId }: Target,
  mode: Mode,
  mayBeDone: boolean,
): Promise<[number, Outcome][]> {
  const now = mayBeDone ? new Map(await previewBatch(piece, partnerId)) : null
  const rows = piece.map((one) => {
    const seen = verdicts.get(one.index) as RowVerdict
    const previewed = now?.get(one.index)
    const isLinkedNow =
      previewed?.annotation === 'link-match' && (!seen.contactId || previewed.contactId === seen.contactId)
    return withAcknowledgement(one, previewed && isLinkedNow ? previewed : seen)
  })
  const result = await importRows({ partnerId, rows, mode, importId })
  return outcomesOf(piece, result, sheet, mapping)
}
