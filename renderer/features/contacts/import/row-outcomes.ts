import type { AcknowledgedRow, ImportResult, ImportRow, PreviewedRow } from '../../../../shared/api/contact-import.ts'
import type { Tone } from '../../../ui/status-dot.tsx'
import { columnReason, fieldIn, type Mapping, type PreparedRow } from './column-mapping.ts'
import type { Target } from './import-fields.ts'
import type { Sheet } from './sheet.ts'

/** Kinds of rows; a `repeated` row depends on an earlier row of the file. */
export const kinds = [
  'create',
  'link-match',
  'email-match',
  'name-match',
  'repeated',
  'conflict',
  'org-not-found',
] as const
export type Kind = (typeof kinds)[number]

/** What the preview, or the console itself, says about a row. */
export interface RowVerdict {
  annotation: Kind
  /** Why the row cannot be imported. */
  reason: string | null
  /** The column type that the reason is about. */
  field: Target | null
  warning: string | null
  /** How the row relates to another one of the file. */
  note?: string
  organizationId: string | null
  organizationName: string | null
  contactId: string | null
  /** Name of the existing contact. */
  contactName: string | null
}

export const annotationLabels: Record<Kind, { word: string; tone: Tone }> = {
  create: { word: 'New contact', tone: 'good' },
  'link-match': { word: 'Already imported', tone: 'idle' },
  'email-match': { word: 'Same email', tone: 'warn' },
  'name-match': { word: 'Same name', tone: 'warn' },
  repeated: { word: 'Same as another row', tone: 'warn' },
  conflict: { word: 'Needs fixing', tone: 'bad' },
  'org-not-found': { word: 'Unknown organization', tone: 'bad' },
}

export const outcomeLabels = {
  imported: 'Imported',
  updated: 'Updated',
  skipped: 'Unchanged',
  'left-out': 'Skipped',
  error: 'Not imported',
  untried: 'Not processed',
} as const
export interface Outcome {
  kind: keyof typeof outcomeLabels
  reason: string
}

/** What happens to contacts that were imported before. */
export type Mode = 'skip' | 'update'

const unnamed = 'a contact without a name'

/** One verdict per row that has been previewed. */
export function verdictsOf(
  rows: readonly PreparedRow[],
  previewed: ReadonlyMap<number, PreviewedRow>,
  sheet: Sheet,
  mapping: Mapping,
): Map<number, RowVerdict> {
  const repeated = repeatedIds([...previewed.values()])
  const verdicts = new Map<number, RowVerdict>()
  for (const { index, row, problem } of rows) {
    const rowPreview = previewed.get(index)
    const isRepeated = rowPreview && rowPreview.annotation !== 'conflict' && repeated.has(idOf(rowPreview))
    const reason = problem ?? (isRepeated ? 'externalId: another row in this file has the same' : null)
    if (reason) verdicts.set(index, refused(reason, sheet, mapping))
    else if (rowPreview) verdicts.set(index, verdictOf(rowPreview, row, sheet, mapping))
  }
  return verdicts
}

function verdictOf(rowPreview: PreviewedRow, row: ImportRow, sheet: Sheet, mapping: Mapping): RowVerdict {
  const { annotation, conflictReason, warning, organizationId, contactId } = rowPreview
  return {
    annotation,
    reason: conflictReason ? columnReason(withName(conflictReason, row), sheet, mapping) : null,
    field: conflictReason ? fieldIn(conflictReason) : null,
    warning: warning ? columnReason(warning, sheet, mapping) : null,
    organizationId,
    organizationName: rowPreview.organizationName ?? null,
    contactId,
    contactName: contactId ? rowPreview.matchedContactName || rowPreview.matchedContactEmail || unnamed : null,
  }
}

/** Adds which organization or site was not found. */
const withName = (reason: string, { organization, organizationId, site }: ImportRow): string =>
  reason
    .replace(
      /^(organization|organizationId): not found$/,
      (_, field) => `${field}: there is no “${organization ?? organizationId}”`,
    )
    .replace(/^site: the organization has none of this name$/, () => `site: the organization has no “${site}”`)

const refused = (reason: string, sheet: Sheet, mapping: Mapping): RowVerdict => ({
  annotation: 'conflict',
  reason: columnReason(reason, sheet, mapping),
  field: fieldIn(reason),
  warning: null,
  organizationId: null,
  organizationName: null,
  contactId: null,
  contactName: null,
})

const idOf = ({ organizationId, externalSystem, externalId }: PreviewedRow) =>
  externalId && organizationId ? JSON.stringify([organizationId, externalSystem, externalId]) : ''

/** The server sees a thousand rows at a time, so an id can occur twice across batches. */
function repeatedIds(rows: readonly PreviewedRow[]): Set<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const id of rows.map(idOf)) if (id) (seen.has(id) ? repeated : seen).add(id)
  return repeated
}

export interface RowSelection {
  leftOut: ReadonlySet<number>
  /** The contact that the user agreed to update; a different contact needs a new agreement. */
  confirmed: ReadonlyMap<number, string>
}

export const needsConsent = ({ annotation }: RowVerdict): boolean =>
  annotation === 'email-match' || annotation === 'name-match'
export const isImpossible = ({ annotation }: RowVerdict): boolean =>
  annotation === 'repeated' || annotation === 'conflict' || annotation === 'org-not-found'

export const isSelected = (index: number, verdict: RowVerdict, { leftOut, confirmed }: RowSelection): boolean =>
  !isImpossible(verdict) && (needsConsent(verdict) ? confirmed.get(index) === verdict.contactId : !leftOut.has(index))

/**
 * The row with the previewed contact. A new contact with an id carries none: if it is sent again after a lost reply,
 * it is found by that id and not taken for a change.
 */
export function withAcknowledgement(
  { row }: PreparedRow,
  { annotation, contactId }: Pick<RowVerdict, 'annotation' | 'contactId'>,
): AcknowledgedRow {
  if (annotation === 'create') return row.externalId ? row : { ...row, expectedAnnotation: 'create' }
  if (annotation === 'repeated' || annotation === 'conflict' || annotation === 'org-not-found' || !contactId) return row
  return { ...row, expectedAnnotation: annotation, expectedContactId: contactId }
}

const changedSince =
  'A contact like this was added or changed after the preview. Import the row again to see which one.'

/** Outcome of each row that was sent; `index` of the result is the position in the batch. */
export function outcomesOf(
  piece: readonly PreparedRow[],
  { imported, updated, skipped, errors }: ImportResult,
  sheet: Sheet,
  mapping: Mapping,
): [number, Outcome][] {
  const of = (kind: Outcome['kind'], list: readonly { index: number }[], reason = ''): [number, Outcome][] =>
    list.map(({ index }) => [piece[index]?.index ?? -1, { kind, reason }])
  return [
    ...of('imported', imported),
    ...of('updated', updated),
    ...of('skipped', skipped, 'Already imported.'),
    ...errors.flatMap((one) => of('error', [one], errorReason(one, sheet, mapping))),
  ]
}

function errorReason({ code, error }: ImportResult['errors'][number], sheet: Sheet, mapping: Mapping): string {
  const isChange = code === 'annotation-changed' || code === 'match-changed' || code === 'match-unconfirmed'
  return isChange ? changedSince : columnReason(error, sheet, mapping)
}

/** For every row of the file: the server's outcome, or why it was not sent. */
export function finalOutcomes(
  rows: readonly PreparedRow[],
  verdicts: ReadonlyMap<number, RowVerdict>,
  selection: RowSelection,
  done: ReadonlyMap<number, Outcome>,
): Map<number, Outcome> {
  const outcome = (index: number): Outcome => {
    const answered = done.get(index)
    const verdict = verdicts.get(index)
    if (answered) return answered
    if (!verdict) return { kind: 'untried', reason: '' }
    if (isImpossible(verdict)) return { kind: 'error', reason: verdict.reason ?? 'This row can’t be imported.' }
    if (isSelected(index, verdict, selection)) return { kind: 'untried', reason: 'The import stopped before this row.' }
    const reason = needsConsent(verdict)
      ? `${verdict.contactName} already exists and wasn’t selected for updating.`
      : ''
    return { kind: 'left-out', reason }
  }
  return new Map(rows.map(({ index }) => [index, outcome(index)]))
}
