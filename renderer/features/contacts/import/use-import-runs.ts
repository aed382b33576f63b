import { useMemo } from 'react'
import type { PreviewedRow } from '../../../../shared/api/contact-import.ts'
import type { Mapping, PreparedRow } from './column-mapping.ts'
import { markDuplicates } from './duplicate-rows.ts'
import { finalOutcomes, type Mode, type Outcome, type RowSelection, verdictsOf } from './row-outcomes.ts'
import type { Sheet } from './sheet.ts'
import { commitBatch, previewBatch } from './submit-rows.ts'
import { useImportRun } from './use-import-run.ts'

interface Target {
  sheet: Sheet
  mapping: Mapping
  partnerId: string | undefined
  /** The same for all calls that send the file. */
  importId: string
}

/** The two runs of an import, its preview and the import itself, with the verdict and the outcome of each row. */
export function useImportRuns(rows: PreparedRow[], target: Target, selection: RowSelection, mode: Mode) {
  const { sheet, mapping, partnerId } = target
  const preview = useImportRun<PreviewedRow>((piece) => previewBatch(piece, partnerId))
  const alone = useMemo(
    () => verdictsOf(rows, preview.answers, sheet, mapping),
    [rows, preview.answers, sheet, mapping],
  )
  const verdicts = useMemo(
    () => markDuplicates(rows, alone, preview.answers, { sheet, mapping, selection, mode }),
    [rows, alone, preview.answers, sheet, mapping, selection, mode],
  )
  const commit = useImportRun<Outcome>((piece, mayBeDone) => commitBatch(piece, verdicts, target, mode, mayBeDone))
  const outcomes = useMemo(
    () => finalOutcomes(rows, verdicts, selection, commit.answers),
    [rows, verdicts, selection, commit.answers],
  )
  return { preview, verdicts, commit, outcomes }
}
