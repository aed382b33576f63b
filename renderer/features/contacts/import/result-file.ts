import Papa from 'papaparse'
import { byteOrderMark } from '../../../lib/received-file.ts'
import { outcomeColumns } from './outcome-columns.ts'
import type { Outcome } from './row-outcomes.ts'
import { outcomeLabels } from './row-outcomes.ts'
import type { Sheet } from './sheet.ts'

/**
 * The rows with their outcome as CSV. A cell that looks like a formula gets a leading apostrophe, so that no
 * spreadsheet evaluates it; `sheetFrom` removes it again.
 */
export function resultFile(
  { columns, rows, delimiter }: Sheet,
  outcomes: ReadonlyMap<number, Outcome>,
  isWanted: (outcome: Outcome) => boolean = () => true,
): string {
  const lines = rows.flatMap(({ number, cells }, index) => {
    const outcome = outcomes.get(index)
    if (!outcome || !isWanted(outcome)) return []
    const reason = outcome.reason && `Row ${number}. ${outcome.reason}`
    return [[...columns.map((_, column) => cells[column] ?? ''), outcomeLabels[outcome.kind], reason]]
  })
  return byteOrderMark + Papa.unparse([[...columns, ...outcomeColumns], ...lines], { delimiter, escapeFormulae: true })
}
