import { Group, MultiSelect, NumberInput, Select, TagsInput, Text, TextInput } from '@mantine/core'
import { type FieldType, fieldType, fieldValues, timeUnits } from '../../../shared/device-filter.ts'
import { NumberField } from '../../ui/number-field.tsx'
import { type ConditionDraft, takesValue } from './rule-draft.ts'
import { choiceName, fieldName } from './rule-labels.ts'

export interface NamedOption {
  id: string
  name: string
}

interface Props {
  item: ConditionDraft
  sites: readonly NamedOption[]
  groups: readonly NamedOption[]
  error: string | undefined
  onChange: (value: unknown) => void
}

type Choice = { value: string; label: string }

/** The input for the value of a condition, by the type of its field. */
export function ValueField(props: Props) {
  const { operator } = props.item
  const type = fieldType(props.item.field) ?? 'string'
  if (!takesValue(operator)) return null
  if (operator === 'between') return <Range {...props} isDate={type === 'datetime'} />
  if (operator === 'withinLast' || operator === 'notWithinLast') return <Span {...props} />
  return ['in', 'notIn', 'hasAny', 'hasAll'].includes(operator) ? (
    <Many {...props} />
  ) : (
    <Single {...props} type={type} />
  )
}

const fieldProps = ({ item, error }: Props) => ({
  'aria-label': `Value for ${fieldName(item.field)}`,
  error,
  flex: '2 1 180px',
})

function Many(props: Props) {
  const { value } = props.item
  const choices = choicesFor(props)
  const common = {
    ...fieldProps(props),
    value: Array.isArray(value) ? value.map(String) : [],
    onChange: (next: string[]) => props.onChange(next.length > 0 ? next : undefined),
  }
  if (choices) return <MultiSelect {...common} searchable data={choices} />
  const placeholder = common.value.length === 0 ? 'Type a value, press Enter' : ''
  return <TagsInput {...common} placeholder={placeholder} acceptValueOnBlur />
}

function Single(props: Props & { type: FieldType }) {
  const { item, type, onChange } = props
  const { operator, value } = item
  const choices = type === 'boolean' ? yesOrNo : choicesFor(props)
  const common = fieldProps(props)
  if (choices)
    return (
      <Select
        {...common}
        searchable
        allowDeselect={false}
        data={choices}
        value={value === undefined || value === null ? null : String(value)}
        onChange={(next) => onChange(type === 'boolean' ? next === 'true' : (next ?? undefined))}
      />
    )
  if (type === 'number') return <Amount {...common} value={value} onChange={onChange} />
  if (type === 'datetime') return <Day {...common} value={value} onChange={onChange} />
  return (
    <TextInput
      {...common}
      maxLength={operator === 'matches' ? 250 : 1000}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  )
}

const yesOrNo: Choice[] = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

const asNumber = (value: unknown): number | '' => (typeof value === 'number' ? value : '')
const numberIn = (value: number | string) => (typeof value === 'number' ? value : undefined)

const named = (things: readonly NamedOption[], value: unknown): Choice[] => {
  const gone = [value].flat().filter((id) => typeof id === 'string' && !things.some((one) => one.id === id)) as string[]
  return [
    ...things.map(({ id, name }) => ({ value: id, label: name })),
    ...gone.map((id) => ({ value: id, label: id })),
  ]
}

function choicesFor({ item: { field, value }, sites, groups }: Props): Choice[] | null {
  if (field === 'siteId') return named(sites, value)
  if (field === 'groupId') return named(groups, value)
  return fieldValues(field)?.map((one) => ({ value: one, label: choiceName(field, one) })) ?? null
}

interface DayProps {
  'aria-label': string
  error?: string | undefined
  flex?: string
  value: unknown
  onChange: (value: unknown) => void
}

function Day({ value, onChange, ...field }: DayProps) {
  return (
    <TextInput
      type="date"
      {...field}
      value={typeof value === 'string' ? value.slice(0, 10) : ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  )
}

function Range({ item: { field, value }, error, onChange, isDate }: Props & { isDate: boolean }) {
  const { from, to } = (value ?? {}) as { from?: unknown; to?: unknown }
  const Field = isDate ? Day : Amount
  return (
    <Group gap="xs" flex="2 1 240px" wrap="nowrap" align="flex-start">
      <Field aria-label={`${fieldName(field)} from`} value={from} onChange={(next) => onChange({ from: next, to })} />
      <Text size="sm" pt={7}>
        and
      </Text>
      <Field
        aria-label={`${fieldName(field)} to`}
        error={error}
        value={to}
        onChange={(next) => onChange({ from, to: next })}
      />
    </Group>
  )
}

function Amount({ value, onChange, ...field }: DayProps) {
  return <NumberInput {...field} value={asNumber(value)} onChange={(next) => onChange(numberIn(next))} />
}

const spans = { min: 1, max: 100_000, isFraction: true } as const

function Span({ item: { field, value }, error, onChange }: Props) {
  const { amount, unit = 'days' } = (value ?? {}) as { amount?: number; unit?: string }
  return (
    <Group gap="xs" flex="2 1 240px" wrap="nowrap" align="flex-start">
      <NumberField
        aria-label={`Value for ${fieldName(field)}`}
        range={spans}
        error={error}
        value={asNumber(amount)}
        onChange={(next) => onChange({ amount: numberIn(next), unit })}
      />
      <Select
        aria-label="Unit of time"
        allowDeselect={false}
        data={timeUnits.map((one) => ({ value: one, label: one }))}
        value={unit}
        onChange={(next) => onChange({ amount, unit: next ?? unit })}
      />
    </Group>
  )
}
