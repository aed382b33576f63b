import { Button, Checkbox, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { maxImportRows } from '../../../../shared/api/contact-import.ts'
import { count, plural } from '../../../lib/format.ts'
import { StatusDot } from '../../../ui/status-dot.tsx'
import { WizardFooter } from '../../../ui/wizard/wizard-footer.tsx'
import type { PreparedRow } from './column-mapping.ts'
import { CountFilter } from './count-filter.tsx'
import { ResolveNames } from './resolve-names.tsx'
import { nameIn, RowList, SecondaryText } from './row-list.tsx'
import { RowOrganization } from './row-organization.tsx'
import {
  annotationLabels,
  isImpossible,
  isSelected,
  type Kind,
  kinds,
  type Mode,
  needsConsent,
  type RowSelection,
  type RowVerdict,
} from './row-outcomes.ts'
import { RunProgress } from './run-progress.tsx'
import type { ImportWizard } from './use-import-wizard.ts'
import { useRowEditing } from './use-row-editing.tsx'

export function PreviewStep({ wizard }: { wizard: ImportWizard }) {
  const { rows, sendable, verdicts, preview, isPreviewed, chosen, sheet, mapping, selection, setSelection, mode } =
    wizard
  const [shown, setShown] = useState<Kind | 'all'>('all')
  const editing = useRowEditing(wizard)
  const amounts = Map.groupBy(verdicts.values(), (verdict) => verdict.annotation)
  const amountOf = (one: Kind) => amounts.get(one)?.length ?? 0
  const visible = rows.filter(({ index }) => {
    const verdict = verdicts.get(index)
    // A row that was just corrected stays visible under the filter.
    return shown === 'all' || verdict?.annotation === shown || editing.touched.has(index)
  })
  const tick = (row: PreparedRow, verdict: RowVerdict, isOn: boolean) =>
    setSelection((old) => ticked(old, [row], verdict, isOn))
  return (
    <Stack>
      {isWorthShowing(preview, sendable) && <RunProgress run={preview} rows={sendable} label="Checking rows" />}
      <ResolveNames wizard={wizard} />
      <CountFilter
        label="Rows to show"
        total={verdicts.size}
        choices={kinds.map((value) => ({ value, label: annotationLabels[value].word, amount: amountOf(value) }))}
        value={shown}
        onChange={(next) => {
          setShown(next)
          editing.forget()
        }}
      />
      {amountOf('repeated') > 0 && (
        <Text size="sm" c="dimmed">
          If several rows are the same person, only the first is imported. Edit the others, or clear the first.
        </Text>
      )}
      {amountOf('email-match') > 0 && <ConfirmEmailMatches wizard={wizard} />}
      {amountOf('link-match') > 0 && <LinkedMode wizard={wizard} amount={amountOf('link-match')} />}
      <RowList
        label="Rows in the file"
        rows={visible}
        selectionOf={(row, isStop) => {
          const verdict = verdicts.get(row.index)
          if (!verdict || isImpossible(verdict)) return null
          return (
            <Checkbox
              size="xs"
              tabIndex={isStop ? 0 : -1}
              aria-label={selectionLabel(row, verdict)}
              checked={isSelected(row.index, verdict, selection)}
              onChange={(event) => tick(row, verdict, event.currentTarget.checked)}
            />
          )
        }}
        stateOf={(row) => {
          const verdict = verdicts.get(row.index)
          return (
            <>
              {verdict ? (
                <State
                  verdict={verdict}
                  isOn={isSelected(row.index, verdict, selection)}
                  mode={mode}
                  hasOrganization={!mapping.isOneOrganization}
                />
              ) : (
                <StatusDot tone="busy">Not checked yet</StatusDot>
              )}
              {editing.buttonFor(row, verdict)}
            </>
          )
        }}
        editor={editing.editor}
      />
      <WizardFooter onBack={wizard.back} note={isPreviewed && summary(rows.length - chosen.length, sheet.blankRows)}>
        <Button disabled={!isPreviewed || chosen.length === 0} onClick={wizard.doImport}>
          Import {plural(chosen.length, 'row')}
        </Button>
      </WizardFooter>
    </Stack>
  )
}

/** A preview of one or two rows is done before anybody could read its progress. */
function isWorthShowing({ answers, isRunning }: ImportWizard['preview'], rows: readonly PreparedRow[]): boolean {
  const rest = rows.filter(({ index }) => !answers.has(index)).length
  return !isRunning || rest === rows.length || rest > maxImportRows
}

const summary = (left: number, blank: number) =>
  [left > 0 && `${plural(left, 'row')} not imported`, blank > 0 && `${plural(blank, 'blank row')} skipped`]
    .filter(Boolean)
    .join(', ')

const selectionLabel = (row: PreparedRow, verdict: RowVerdict) =>
  needsConsent(verdict)
    ? `Update this contact: ${verdict.contactName}, row ${row.number}`
    : `Import row ${row.number}, ${nameIn(row)}`

function ticked(old: RowSelection, rows: readonly PreparedRow[], verdict: RowVerdict, isOn: boolean): RowSelection {
  const leftOut = new Set(old.leftOut)
  const confirmed = new Map(old.confirmed)
  for (const { index } of rows) {
    if (!needsConsent(verdict)) isOn ? leftOut.delete(index) : leftOut.add(index)
    else if (isOn && verdict.contactId) confirmed.set(index, verdict.contactId)
    else confirmed.delete(index)
  }
  return { leftOut, confirmed }
}

interface StateProps {
  verdict: RowVerdict
  isOn: boolean
  mode: Mode
  hasOrganization: boolean
}

function State({ verdict, isOn, mode, hasOrganization }: StateProps) {
  const { word, tone } = annotationLabels[verdict.annotation]
  return (
    <>
      <StatusDot tone={tone}>{word}</StatusDot>
      {needsConsent(verdict) && (
        <SecondaryText>
          {isOn ? 'Updates' : 'Select to update this contact:'} {verdict.contactName}
        </SecondaryText>
      )}
      {verdict.annotation === 'link-match' && (
        <SecondaryText>
          {mode === 'update' && isOn ? `Updates ${verdict.contactName}` : `${verdict.contactName} stays unchanged`}
        </SecondaryText>
      )}
      <SecondaryText>{verdict.reason}</SecondaryText>
      <SecondaryText>{verdict.note}</SecondaryText>
      <SecondaryText>
        {verdict.warning && `Imported as a new contact because it has its own ID. ${verdict.warning}`}
      </SecondaryText>
      {hasOrganization && <RowOrganization verdict={verdict} />}
    </>
  )
}

/**
 * Matches by email are confirmed together, because an address nearly always belongs to one person; matches by name
 * one by one.
 */
function ConfirmEmailMatches({ wizard: { rows, verdicts, selection, setSelection } }: { wizard: ImportWizard }) {
  const matches = rows.filter(({ index }) => verdicts.get(index)?.annotation === 'email-match')
  const on = matches.filter(({ index }) => isSelected(index, verdicts.get(index) as RowVerdict, selection)).length
  const setAll = (isOn: boolean) =>
    setSelection((old) =>
      matches.reduce((next, row) => ticked(next, [row], verdicts.get(row.index) as RowVerdict, isOn), old),
    )
  return (
    <Checkbox
      label={`Update contacts with the same email address (${count(matches.length)})`}
      description="Values from the file replace existing ones; empty cells change nothing."
      checked={on === matches.length}
      indeterminate={on > 0 && on < matches.length}
      onChange={(event) => setAll(event.currentTarget.checked)}
    />
  )
}

function LinkedMode({ wizard: { mode, setMode }, amount }: { wizard: ImportWizard; amount: number }) {
  return (
    <Radio.Group
      label={`${plural(amount, 'row was', 'rows were')} imported before, by contact ID`}
      value={mode}
      onChange={(next) => setMode(next === 'update' ? 'update' : 'skip')}
    >
      <Stack gap={6} mt={6}>
        <Radio value="skip" label="Leave those contacts unchanged" />
        <Radio
          value="update"
          label="Update them"
          description="Values from the file replace existing ones; empty cells change nothing."
        />
      </Stack>
    </Radio.Group>
  )
}
