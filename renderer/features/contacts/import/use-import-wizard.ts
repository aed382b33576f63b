import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { organizationQuery } from '../../../data/organizations.ts'
import { randomUuid } from '../../../lib/random-uuid.ts'
import { useMe } from '../../../lib/session.ts'
import { useUnsavedChanges } from '../../../lib/unsaved-changes.ts'
import { useWizardSteps } from '../../../ui/wizard/use-wizard-steps.ts'
import {
  type Mapping,
  mappingProblem,
  noResolvedNames,
  type PreparedRow,
  type ResolvedNames,
  rowsFrom,
} from './column-mapping.ts'
import { guessTargets } from './guess-columns.ts'
import { isMostlyLastNameFirst } from './names.ts'
import { isSelected, type Mode, type RowSelection } from './row-outcomes.ts'
import { type Sheet, withCells } from './sheet.ts'
import { useImportRuns } from './use-import-runs.ts'

const isSendable = ({ problem }: PreparedRow) => problem === null

export type ImportWizard = ReturnType<typeof useImportWizard>

const noSheet: Sheet = { name: '', delimiter: ',', columns: [], rows: [], blankRows: 0 }
const noSelection: RowSelection = { leftOut: new Set(), confirmed: new Map() }

/** Platform administrators choose a partner; everybody else has only their own, which goes without saying. */
function useChosenPartner({ orgId, isOneOrganization, partnerId }: Mapping, isOperator: boolean): string | undefined {
  const organization = useQuery({ ...organizationQuery(orgId ?? ''), enabled: isOperator && orgId !== null }).data
  return isOperator ? ((isOneOrganization ? organization?.partnerId : partnerId) ?? undefined) : undefined
}

/** All state of the wizard, so that going back a step loses nothing. */
export function useImportWizard(into: string | undefined) {
  const { step, goTo, back, next } = useWizardSteps(['file', 'columns', 'preview', 'result'])
  const [pasted, setPasted] = useState('')
  const [sheet, setSheet] = useState<Sheet | null>(null)
  const [mapping, setMapping] = useState<Mapping>({
    targets: [],
    isLastNameFirst: false,
    isOneOrganization: true,
    orgId: into ?? null,
    partnerId: null,
    system: '',
  })
  /** Prepared when the preview starts, since preparing a long file at every key press is slow. */
  const [rows, setRows] = useState<PreparedRow[]>([])
  const [resolved, setResolved] = useState(noResolvedNames)
  const [selection, setSelection] = useState(noSelection)
  const [mode, setMode] = useState<Mode>('skip')
  const given = sheet ?? noSheet
  const isOperator = useMe().scope === 'system'
  const partnerId = useChosenPartner(mapping, isOperator)

  const [importId, setImportId] = useState(randomUuid)
  const target = { sheet: given, mapping, partnerId, importId }
  const { preview, verdicts, commit, outcomes } = useImportRuns(rows, target, selection, mode)
  const sendable = rows.filter(isSendable)
  const chosen = rows.filter(({ index }) => {
    const verdict = verdicts.get(index)
    return verdict !== undefined && isSelected(index, verdict, selection)
  })
  const problem = mappingProblem(mapping) ?? (isOperator && !partnerId ? 'Choose the company.' : null)
  const isPreviewed = sendable.every(({ index }) => preview.answers.has(index))
  const isDone = step === 'result' && !commit.isRunning && chosen.every(({ index }) => commit.answers.has(index))
  useUnsavedChanges((sheet !== null || pasted !== '') && !isDone)

  /** Verdicts depend on the columns. */
  const changeMapping = (change: Partial<Mapping>) => {
    setMapping((old) => ({ ...old, ...change }))
    preview.reset()
  }
  const begin = () => {
    setImportId(randomUuid())
    setRows([])
    setResolved(noResolvedNames)
    setSelection(noSelection)
    preview.reset()
    commit.reset()
  }
  const takeSheet = (next: Sheet) => {
    const targets = guessTargets(next.columns)
    begin()
    setSheet(next)
    setMapping((old) => ({
      ...old,
      targets,
      isLastNameFirst: isMostlyLastNameFirst(next, targets),
      isOneOrganization: old.orgId !== null || !targets.includes('organization'),
    }))
    goTo('columns')
  }
  const startOver = () => {
    begin()
    setSheet(null)
    setPasted('')
    goTo('file')
  }
  const showPreview = () => {
    const prepared = rowsFrom(given, mapping, resolved)
    setRows(prepared)
    goTo('preview')
    void preview.start(prepared.filter(isSendable))
  }
  /** Previews only rows that changed, and those that shared an id with them. */
  const previewAgain = (nextSheet: Sheet, nextResolved: ResolvedNames) => {
    const next = rowsFrom(nextSheet, mapping, nextResolved)
    const again = new Set(rows.filter((row, at) => JSON.stringify(row) !== JSON.stringify(next[at])))
    const ids = new Set([...again].flatMap(({ row }) => row.externalId ?? []))
    for (const row of rows) if (ids.has(row.row.externalId ?? '')) again.add(row)
    setRows(next)
    void preview.start(next.filter(isSendable), new Set([...again].map(({ index }) => index)))
  }
  /** Replaces the cells of a row. */
  const correct = (index: number, cells: string[]) => {
    const next = withCells(given, index, cells)
    setSheet(next)
    previewAgain(next, resolved)
  }
  /** Sets what these names mean in all rows; null for none. */
  const resolve = (keys: readonly string[], id: string | null) => resolveAll(new Map(keys.map((key) => [key, id])))
  const resolveAll = (chosen: ResolvedNames) => {
    const next = new Map([...resolved, ...chosen])
    setResolved(next)
    previewAgain(given, next)
  }
  const doImport = () => {
    goTo('result')
    void commit.start(chosen)
  }
  return {
    ...{ step, back, next, pasted, setPasted, sheet: given, hasSheet: sheet !== null, takeSheet, startOver },
    ...{ mapping, changeMapping, isOperator, problem, rows, sendable, verdicts, preview, isPreviewed, showPreview },
    ...{ resolved, resolve, resolveAll, correct },
    ...{ selection, setSelection, mode, setMode, chosen, commit, doImport, outcomes, isDone },
  }
}
