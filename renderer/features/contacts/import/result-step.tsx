import { Button, Group, List, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { saveFile } from '../../../lib/clipboard.ts'
import { ButtonLink, TextLink } from '../../../ui/links.tsx'
import { StatusDot, type Tone } from '../../../ui/status-dot.tsx'
import type { PreparedRow } from './column-mapping.ts'
import { CountFilter } from './count-filter.tsx'
import { resultFile } from './result-file.ts'
import { RowList, SecondaryText } from './row-list.tsx'
import { RowOrganization } from './row-organization.tsx'
import { type Outcome, outcomeLabels } from './row-outcomes.ts'
import { RunProgress } from './run-progress.tsx'
import type { ImportWizard } from './use-import-wizard.ts'

const tones: Record<Outcome['kind'], Tone> = {
  imported: 'good',
  updated: 'good',
  skipped: 'idle',
  'left-out': 'idle',
  error: 'bad',
  untried: 'warn',
}
const kinds = Object.keys(outcomeLabels) as Outcome['kind'][]

export function ResultStep({ wizard }: { wizard: ImportWizard }) {
  const { rows, chosen, commit, outcomes, verdicts, mapping, isDone } = wizard
  const [shown, setShown] = useState<Outcome['kind'] | 'all'>('all')
  const amounts = Map.groupBy(outcomes.values(), ({ kind }) => kind)
  const visible = rows.filter(({ index }) => shown === 'all' || outcomes.get(index)?.kind === shown)
  return (
    <Stack>
      <RunProgress run={commit} rows={chosen} label="Importing" caution={<Caution rows={chosen} />} />
      {!commit.isRunning && (
        <>
          {isDone && <Text role="status">Import finished.</Text>}
          <CountFilter
            label="Rows to show"
            total={rows.length}
            choices={kinds.map((value) => ({
              value,
              label: outcomeLabels[value],
              amount: amounts.get(value)?.length ?? 0,
            }))}
            value={shown}
            onChange={setShown}
          />
          <RowList
            label="Import results"
            rows={visible}
            stateOf={({ index }) => {
              const { kind, reason } = outcomes.get(index) as Outcome
              const verdict = verdicts.get(index)
              return (
                <>
                  <StatusDot tone={tones[kind]}>{outcomeLabels[kind]}</StatusDot>
                  <SecondaryText>{reason}</SecondaryText>
                  {verdict && !mapping.isOneOrganization && <RowOrganization verdict={verdict} />}
                </>
              )
            }}
          />
          <Ending wizard={wizard} hasErrors={amounts.has('error')} />
        </>
      )}
    </Stack>
  )
}

function Ending({ wizard, hasErrors }: { wizard: ImportWizard; hasErrors: boolean }) {
  const { sheet, outcomes, isDone } = wizard
  const organizations = organizationsOf(wizard)
  const [only] = organizations.size === 1 ? organizations.keys() : []
  const download = (what: string, isWanted?: (outcome: Outcome) => boolean) => {
    const base = sheet.name.replace(/\.\w+$/, '')
    saveFile(`${base} - ${what}.${sheet.delimiter === '\t' ? 'tsv' : 'csv'}`, resultFile(sheet, outcomes, isWanted))
  }
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Button variant="default" leftSection={<IconDownload size={16} />} onClick={() => download('result')}>
          Download results
        </Button>
        {hasErrors && (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() => download('errors', ({ kind }) => kind === 'error')}
          >
            Download rows with errors
          </Button>
        )}
      </Group>
      {hasErrors && (
        <Text size="sm" c="dimmed">
          Fix the rows with errors in that file and import it again.
        </Text>
      )}
      <Group justify="space-between">
        {isDone ? (
          <Button variant="default" onClick={wizard.startOver}>
            Import another file
          </Button>
        ) : (
          <Button variant="default" onClick={wizard.back}>
            Back
          </Button>
        )}
        {isDone && only && (
          <ButtonLink to="/organizations/$orgId" params={{ orgId: only }} search={{ tab: 'contacts' }}>
            View contacts
          </ButtonLink>
        )}
      </Group>
      {isDone && !only && <ContactsOf organizations={organizations} />}
    </Stack>
  )
}

const linkedOrganizations = 10

/** Links to the contacts of each organization that the file is about; to all organizations where those are many. */
function ContactsOf({ organizations }: { organizations: ReadonlyMap<string, string> }) {
  const shown = organizations.size <= linkedOrganizations ? [...organizations] : []
  if (shown.length === 0) return <TextLink to="/organizations">View organizations</TextLink>
  return (
    <div>
      <Text size="sm" fw={600}>
        View contacts
      </Text>
      <List size="sm">
        {shown.map(([orgId, name]) => (
          <List.Item key={orgId}>
            <TextLink to="/organizations/$orgId" params={{ orgId }} search={{ tab: 'contacts' }} size="sm">
              {name}
            </TextLink>
          </List.Item>
        ))}
      </List>
    </div>
  )
}

/** The organizations whose contacts the file has now, by id. */
function organizationsOf({ outcomes, verdicts, mapping }: ImportWizard): Map<string, string> {
  if (mapping.isOneOrganization && mapping.orgId) return new Map([[mapping.orgId, '']])
  const found = new Map<string, string>()
  for (const [index, { kind }] of outcomes) {
    const { organizationId, organizationName } = verdicts.get(index) ?? {}
    if (['imported', 'updated', 'skipped'].includes(kind) && organizationId)
      found.set(organizationId, organizationName ?? '')
  }
  return found
}

/** Warns if sending rows again, whose reply was lost, could create a contact twice. */
function Caution({ rows }: { rows: readonly PreparedRow[] }) {
  const isAllLinked = rows.every(({ row }) => row.externalId)
  const isNameless = rows.some(({ row }) => !row.externalId && !row.name && !row.email)
  return (
    <Text size="sm" mt={4}>
      Some of the last rows may already be saved. Continue to import the rest.{' '}
      {isAllLinked
        ? 'Every row has a contact ID, so none is imported twice.'
        : 'Rows with a contact ID aren’t imported twice. Other saved rows are found again by email or name and reported as changed since the preview.'}
      {isNameless && 'Rows with only a phone number may be imported twice.'}
    </Text>
  )
}
