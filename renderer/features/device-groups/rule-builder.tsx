import { ActionIcon, Button, Group, type OptionsFilter, Select, Stack, Text } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { fieldType, type Operator, operatorsOf } from '../../../shared/device-filter.ts'
import classes from './rule-builder.module.css'
import {
  type ConditionDraft,
  type GroupDraft,
  type ItemDraft,
  newCondition,
  newConditionGroup,
  type RuleDraft,
  withField,
  withOperator,
} from './rule-draft.ts'
import { fieldGroups, fieldName, isFieldFor, operatorNames, ruleText } from './rule-labels.ts'
import { type NamedOption, ValueField } from './value-field.tsx'

interface BuilderContext {
  sites: readonly NamedOption[]
  groups: readonly NamedOption[]
  /** Error texts by path; empty before the first try to save. */
  problems: ReadonlyMap<string, string>
}

interface Props extends BuilderContext {
  draft: RuleDraft
  onChange: (draft: RuleDraft) => void
}

export function RuleBuilder({ draft, onChange, ...around }: Props) {
  const setItem = (at: number, item: RuleDraft['items'][number] | null) =>
    onChange({ ...draft, items: draft.items.toSpliced(at, 1, ...(item ? [item] : [])) })
  const add = (item: RuleDraft['items'][number]) => onChange({ ...draft, items: [...draft.items, item] })
  return (
    <Stack gap="sm" role="group" aria-label="Rule">
      <Join value={draft.join} onChange={(join) => onChange({ ...draft, join })} />
      {draft.items.map((item, at) =>
        'items' in item ? (
          <ConditionGroup
            key={item.key}
            {...around}
            nest={item}
            path={`conditions.${at}`}
            onChange={(next) => setItem(at, next)}
          />
        ) : (
          <Condition
            key={item.key}
            {...around}
            item={item}
            path={`conditions.${at}`}
            onChange={(next) => setItem(at, next)}
          />
        ),
      )}
      <Problem text={around.problems.get('conditions')} />
      <Group gap="xs">
        <Add onClick={() => add(newCondition())}>Condition</Add>
        <Add onClick={() => add(newConditionGroup())}>Condition group</Add>
      </Group>
    </Stack>
  )
}

interface NestProps extends BuilderContext {
  nest: GroupDraft
  path: string
  onChange: (nest: GroupDraft | null) => void
}

function ConditionGroup({ nest, path, onChange, ...around }: NestProps) {
  const setItem = (at: number, item: GroupDraft['items'][number] | null) =>
    onChange({ ...nest, items: nest.items.toSpliced(at, 1, ...(item ? [item] : [])) })
  return (
    <Stack gap="sm" className={classes.nest} role="group" aria-label="Condition group">
      <Group justify="space-between" wrap="nowrap">
        <Join value={nest.join} onChange={(join) => onChange({ ...nest, join })} />
        <Remove label="Remove this condition group" onClick={() => onChange(null)} />
      </Group>
      {nest.items.map((item, at) => (
        <NestItem
          key={item.key}
          {...around}
          item={item}
          path={`${path}.conditions.${at}`}
          onChange={(next) => setItem(at, next)}
        />
      ))}
      <Problem text={around.problems.get(`${path}.conditions`)} />
      <div>
        <Add onClick={() => onChange({ ...nest, items: [...nest.items, newCondition()] })}>Condition</Add>
      </div>
    </Stack>
  )
}

interface ItemProps<Item extends ItemDraft> extends BuilderContext {
  item: Item
  path: string
  onChange: (item: Item | null) => void
}

function NestItem(props: ItemProps<GroupDraft['items'][number]>) {
  const { item, onChange, sites, groups } = props
  if (!('unknown' in item)) return <Condition {...props} item={item} />
  return (
    <Group wrap="nowrap" justify="space-between" align="flex-start">
      <Text size="sm">
        {ruleText(item.unknown, [...sites, ...groups])}
        <Text span size="xs" c="dimmed" display="block">
          Nested too deeply to edit here; it stays unchanged.
        </Text>
      </Text>
      <Remove label="Remove this condition group" onClick={() => onChange(null)} />
    </Group>
  )
}

const offeredFields = fieldGroups.map(({ group, fields }) => ({
  group,
  items: Object.entries(fields).map(([value, label]) => ({ value, label })),
}))
const offered = new Set(offeredFields.flatMap(({ items }) => items.map(({ value }) => value)))

/** Fields are also found by other words for them. */
const fieldsFor: OptionsFilter = ({ options, search }) =>
  options.flatMap((group) => {
    if (!('items' in group)) return []
    const items = group.items.filter(({ value }) => isFieldFor(search.trim(), value))
    return items.length > 0 ? [{ ...group, items }] : []
  })

function Condition({ item, path, onChange, ...around }: ItemProps<ConditionDraft>) {
  const operators: readonly Operator[] = operatorsOf[fieldType(item.field) ?? 'string']
  const word = fieldName(item.field)
  const fields = offered.has(item.field)
    ? offeredFields
    : [...offeredFields, { group: 'Others', items: [{ value: item.field, label: word }] }]
  const isWrong = around.problems.has(`${path}.value`)
  const problem = around.problems.get(`${path}.field`) ?? around.problems.get(`${path}.operator`)
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <Group gap="xs" align="flex-start" flex={1}>
        <Select
          aria-label="Field"
          flex="1 1 150px"
          searchable
          allowDeselect={false}
          nothingFoundMessage="No fields match"
          filter={fieldsFor}
          data={fields}
          error={problem}
          value={item.field}
          onChange={(field) => field && onChange(withField(item, field))}
        />
        <Select
          aria-label={`Operator for ${word}`}
          flex="1 1 140px"
          searchable
          allowDeselect={false}
          data={operators.map((value) => ({ value, label: operatorNames[value] }))}
          value={item.operator}
          onChange={(operator) => operator && onChange(withOperator(item, operator as Operator))}
        />
        <ValueField
          item={item}
          sites={around.sites}
          groups={around.groups}
          error={isWrong ? 'Enter a value' : undefined}
          onChange={(value) => onChange({ ...item, value })}
        />
      </Group>
      <Remove label={`Remove the condition on ${word}`} onClick={() => onChange(null)} />
    </Group>
  )
}

function Join({ value, onChange }: { value: 'AND' | 'OR'; onChange: (value: 'AND' | 'OR') => void }) {
  return (
    <Select
      aria-label="Conditions that must apply"
      w={220}
      size="xs"
      allowDeselect={false}
      data={[
        { value: 'AND', label: 'All of these apply' },
        { value: 'OR', label: 'Any of these applies' },
      ]}
      value={value}
      onChange={(next) => onChange(next === 'OR' ? 'OR' : 'AND')}
    />
  )
}

function Add({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Button variant="subtle" size="xs" leftSection={<IconPlus size={14} />} onClick={onClick}>
      {children}
    </Button>
  )
}

function Remove({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <ActionIcon aria-label={label} mt={4} onClick={onClick}>
      <IconX size={16} />
    </ActionIcon>
  )
}

function Problem({ text }: { text: string | undefined }) {
  return text ? (
    <Text size="sm" c="var(--mantine-color-error)">
      {text}
    </Text>
  ) : null
}
