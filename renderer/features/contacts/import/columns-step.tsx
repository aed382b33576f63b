import { Alert, Button, Checkbox, Radio, Select, Stack, Table, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { allPartnersQuery } from '../../../data/partners.ts'
import { plural } from '../../../lib/format.ts'
import { useMe } from '../../../lib/session.ts'
import classes from '../../../ui/data-table/table.module.css'
import { TableFrame } from '../../../ui/data-table/table-frame.tsx'
import { WizardFooter } from '../../../ui/wizard/wizard-footer.tsx'
import type { Mapping } from './column-mapping.ts'
import { isPrimaryColumn } from './guess-columns.ts'
import { type Target, targetNames, targets } from './import-fields.ts'
import { nameIn, namesWithComma } from './names.ts'
import { OrganizationSearch } from './organization-search.tsx'
import type { Sheet } from './sheet.ts'
import type { ImportWizard } from './use-import-wizard.ts'

export function ColumnsStep({ wizard }: { wizard: ImportWizard }) {
  const { sheet, mapping, changeMapping, problem } = wizard
  return (
    <Stack gap="lg">
      <Text size="sm">
        {sheet.name}: {plural(sheet.rows.length, 'row')}
        {sheet.blankRows > 0 &&
          ` and ${plural(sheet.blankRows, 'blank row')}, which ${sheet.blankRows === 1 ? 'is' : 'are'} skipped`}
        . Match each column. Unmatched columns are skipped.
      </Text>
      <Whose wizard={wizard} />
      <ColumnTable sheet={sheet} mapping={mapping} onChange={(columns) => changeMapping({ targets: columns })} />
      <Names sheet={sheet} mapping={mapping} onChange={changeMapping} />
      <Ids mapping={mapping} onSystem={(system) => changeMapping({ system })} />
      <WizardFooter onBack={wizard.back} note={problem}>
        <Button disabled={problem !== null} onClick={wizard.showPreview}>
          Preview
        </Button>
      </WizardFooter>
    </Stack>
  )
}

function Whose({ wizard: { mapping, changeMapping, isOperator } }: { wizard: ImportWizard }) {
  const me = useMe()
  const partners = useQuery({ ...allPartnersQuery, enabled: isOperator && !mapping.isOneOrganization }).data
  // Users of an organization have no other.
  if (me.scope === 'organization') return null
  return (
    <Stack gap="sm">
      <Radio.Group
        label="Whose contacts are these?"
        value={mapping.isOneOrganization ? 'one' : 'column'}
        onChange={(by) => changeMapping({ isOneOrganization: by === 'one' })}
      >
        <Stack gap={6} mt={6}>
          <Radio value="one" label="One organization" />
          <Radio value="column" label="Each row names its organization" />
        </Stack>
      </Radio.Group>
      {mapping.isOneOrganization && (
        <OrganizationSearch label="Organization" value={mapping.orgId} onChange={(orgId) => changeMapping({ orgId })} />
      )}
      {!mapping.isOneOrganization && isOperator && (
        <Select
          label="Company"
          maw={420}
          searchable
          limit={50}
          allowDeselect={false}
          data={partners?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          value={mapping.partnerId}
          onChange={(partnerId) => changeMapping({ partnerId })}
        />
      )}
    </Stack>
  )
}

interface TableProps {
  sheet: Sheet
  mapping: Mapping
  onChange: (targets: Mapping['targets']) => void
}

function ColumnTable({ sheet, mapping, onChange }: TableProps) {
  const options = targets
    .filter((target) => target !== 'organization' || !mapping.isOneOrganization)
    .map((value) => ({ value, label: targetNames[value] }))
  /** Each type has one column: the former column loses it. */
  const assign = (column: number, target: Target | null) =>
    onChange(mapping.targets.map((old, at) => (at === column ? target : old === target ? null : old)))
  return (
    <TableFrame label="Columns in the file">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="30%">Column</Table.Th>
            <Table.Th>Example</Table.Th>
            <Table.Th w={220}>Import as</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sheet.columns.map((name, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name, and their places never change
            <Table.Tr key={column}>
              <Table.Td className={classes.words}>{name}</Table.Td>
              <Table.Td data-label="Example" className={classes.words} c="dimmed">
                {samplesOf(sheet, column)}
              </Table.Td>
              <Table.Td data-label="Import as">
                <Select
                  aria-label={`Import “${name}” as`}
                  placeholder="Not imported"
                  size="xs"
                  clearable
                  data={options}
                  value={options.find(({ value }) => value === mapping.targets[column])?.value ?? null}
                  onChange={(target) => assign(column, target as Target | null)}
                />
                {!mapping.targets[column] && isPrimaryColumn(name) && (
                  <Text size="xs" c="dimmed" mt={4}>
                    Primary contacts aren’t imported. Choose them afterwards.
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}

function samplesOf({ rows }: Sheet, column: number): string {
  const samples = new Set<string>()
  for (const { cells } of rows) {
    const cell = cells[column]?.trim()
    if (cell) samples.add(cell.length > 40 ? `${cell.slice(0, 40)}…` : cell)
    if (samples.size === 3) break
  }
  return [...samples].join(', ') || 'empty'
}

interface NamesProps {
  sheet: Sheet
  mapping: Mapping
  onChange: ImportWizard['changeMapping']
}

/** How names come out that are put together from two columns, or turned around. */
function Names({ sheet, mapping, onChange }: NamesProps) {
  const { targets, isLastNameFirst } = mapping
  const [turned] = namesWithComma(sheet, targets)
  if (turned) {
    const row = sheet.columns.map((_, column) => (targets[column] === 'name' ? turned : ''))
    return (
      <Checkbox
        label={`Turn “${turned}” into “${nameIn(row, { targets, isLastNameFirst: true })}”`}
        description="For lists with the last name first."
        checked={isLastNameFirst}
        onChange={({ currentTarget }) => onChange({ isLastNameFirst: currentTarget.checked })}
      />
    )
  }
  if (!targets.includes('firstName') || !targets.includes('lastName')) return null
  const joined = new Set(sheet.rows.slice(0, 20).flatMap(({ cells }) => nameIn(cells, mapping) ?? []))
  return (
    <Text size="sm">
      First and last name are joined: {[...joined].slice(0, 3).join(', ')}
      {joined.size > 3 && ', …'}
    </Text>
  )
}

/** Ids make a second import of the same list reliable. */
function Ids({ mapping, onSystem }: { mapping: Mapping; onSystem: (system: string) => void }) {
  if (!mapping.targets.includes('externalId'))
    return (
      <Alert color="yellow" variant="light" p="sm">
        No contact ID column. If you import this list again, contacts are matched by email or name and you’ll confirm
        each match.
      </Alert>
    )
  return (
    <TextInput
      label="Source of the IDs"
      description="The system the list was exported from. Use the same name next time."
      placeholder="csv"
      maxLength={64}
      maw={420}
      value={mapping.system}
      onChange={(event) => onSystem(event.currentTarget.value)}
    />
  )
}
