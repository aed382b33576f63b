import Papa from 'papaparse'
import { outcomeColumns } from './outcome-columns.ts'
import type { Outcome } from './row-outcomes.ts'
import { outcomeLabels } from './row-outcomes.ts'
import type { Sheet } from './sheet.ts'

/** The mark by which Excel knows UTF-8. */
const byteOrderMark = '\uFEFF'

/**
 * The rows of the file with what became of them. No cell of it is calculated by a spreadsheet: what looks like a
 * formula begins with an apostrophe, which `sheetFrom` takes off again.
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
