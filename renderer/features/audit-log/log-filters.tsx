import { Button, Collapse, Group, Select, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconFilter, IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { maxSearchCharacters } from '../../../shared/paging.ts'
import type { LogFilters as Filters } from '../../data/audit-log.ts'
import { wordSearch } from '../../lib/word-search.ts'
import { SearchBox } from '../../ui/search-box.tsx'
import { actionName, knownActions } from './action-labels.ts'
import { activeFilters } from './active-filters.ts'
import { resultChoices } from './event-result.tsx'
import { filterWidth, TimeFilter, TimeSpanButtons } from './time-filter.tsx'

interface Props {
  filters: Filters
  /** Of the target that is filtered by its id, where it is known. */
  targetName: string | undefined
  onChange: (change: Filters) => void
  onClear: (() => void) | undefined
  actions: ReactNode
}

export function LogFilters({ filters, targetName, onChange, onClear, actions }: Props) {
  const { user, action, resource, result, from, to } = filters
  const active = activeFilters(filters, targetName)
  const [isOpen, setOpen] = useState(false)
  return (
    <search aria-label="Filter events">
      <Group gap="xs" mb="md" justify="space-between">
        <Group gap="xs" flex="1 1 300px">
          <SearchBox label="Search events" value={filters.q} onSearch={(q) => onChange({ q })} />
          <Button
            variant="default"
            leftSection={<IconFilter size={16} />}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {active.length > 0 ? `Filters (${active.length})` : 'Filters'}
          </Button>
          {onClear && (
            <Button variant="subtle" color="gray" onClick={onClear}>
              Clear filters
            </Button>
          )}
        </Group>
        {actions}
      </Group>
      {!isOpen && active.length > 0 && (
        <Group gap="xs" mb="md" role="group" aria-label="Active filters">
          {active.map(({ text, without }) => (
            <Button
              key={text}
              size="compact-sm"
              variant="light"
              maw="100%"
              rightSection={<IconX size={14} />}
              aria-label={`Remove filter ${text}`}
              onClick={() => onChange(without)}
            >
              {text}
            </Button>
          ))}
        </Group>
      )}
      <Collapse expanded={isOpen}>
        <Group gap="xs" mb="xs" align="flex-start">
          <TextFilter
            label="Who"
            hint="Person, email or API key"
            value={user}
            onChange={(next) => onChange({ user: next })}
          />
          <ActionFilter value={action} onChange={(next) => onChange({ action: next })} />
          <TextFilter
            label="Target"
            hint="Type, name or ID"
            value={targetName ?? resource}
            onChange={(next) => onChange({ resource: next })}
          />
          <Select
            {...filterWidth}
            label="Result"
            placeholder="Any"
            clearable
            clearButtonProps={{ 'aria-label': 'Any result' }}
            data={resultChoices}
            value={result ?? null}
            onChange={(next) => onChange({ result: next ?? undefined })}
          />
        </Group>
        <Group gap="xs" mb="md" align="flex-start">
          <TimeSpanButtons from={from} to={to} onChoose={onChange} />
          <TimeFilter label="From" value={from} onChange={(next) => onChange({ from: next })} />
          <TimeFilter
            label="To"
            value={to}
            error={from && to && to < from && 'Must be after “From”'}
            onChange={(next) => onChange({ to: next })}
          />
        </Group>
      </Collapse>
    </search>
  )
}

interface FieldProps {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}

/** Filters a moment after the last key press. */
function TextFilter({ label, hint, value, onChange }: FieldProps & { hint: string }) {
  const [text, setText] = useState(value ?? '')
  const field = useRef<HTMLInputElement>(null)
  const settle = useDebouncedCallback((next: string) => onChange(next.trim() || undefined), 250)
  // The value changed from outside: a click on a cell, or the back button.
  useEffect(() => {
    if (document.activeElement !== field.current) setText(value ?? '')
  }, [value])
  return (
    <TextInput
      {...filterWidth}
      ref={field}
      label={label}
      placeholder={hint}
      maxLength={maxSearchCharacters}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        settle(currentTarget.value)
      }}
    />
  )
}

const fits = (name: string, search: string): boolean => wordSearch(search)(`${actionName(name)} ${name}`)

function ActionFilter({ value, onChange }: Omit<FieldProps, 'label'>) {
  const names = value && !knownActions.includes(value) ? [value, ...knownActions] : knownActions
  return (
    <Select
      {...filterWidth}
      maw={{ sm: 280 }}
      label="Action"
      placeholder="Any"
      searchable
      clearable
      limit={200}
      clearButtonProps={{ 'aria-label': 'Any action' }}
      nothingFoundMessage="No matches"
      comboboxProps={{ width: 340, position: 'bottom-start' }}
      filter={({ options, search }) => options.filter((option) => 'value' in option && fits(option.value, search))}
      data={names.map((name) => ({ value: name, label: actionName(name) }))}
      renderOption={({ option }) => (
        <div>
          {option.label}
          <Text size="xs" className="mono option-description">
            {option.value}
          </Text>
        </div>
      )}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
    />
  )
}
