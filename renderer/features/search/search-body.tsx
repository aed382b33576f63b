import { Button, Combobox, Group, Kbd, Text, TextInput, useVirtualizedCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useEffectEvent, useId, useState } from 'react'
import { maxSearchCharacters } from '../../../shared/paging.ts'
import { messageFor } from '../../lib/error-messages.ts'
import { plural } from '../../lib/format.ts'
import option from '../../ui/option-row.module.css'
import { SkeletonLines } from '../../ui/states.tsx'
import classes from './search-dialog.module.css'
import { type Result, type ResultGroup, useResults } from './use-results.tsx'

const pauseMs = 80
const placeholder = 'Devices, IP or MAC addresses, serial numbers, organizations, people…'

interface Props {
  /** Something is opened that takes the focus. */
  onLeave: () => void
  onClose: () => Promise<unknown>
}

export function SearchBody({ onLeave, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const text = typed.trim()
  const [asked] = useDebouncedValue(text, pauseMs)
  const { groups, isBehind, hasAnswer, error, retry } = useResults(text, asked, onClose)
  const results = groups.flatMap((group) => group.results)
  const [activeId, setActiveId] = useState<string>()
  const active = Math.max(
    0,
    results.findIndex(({ id }) => id === activeId),
  )
  const open = (result: Result) => {
    onLeave()
    void result.open()
  }
  const submit = useSubmit(results, isBehind, open)
  // Mantine tells the field of its list only when it is rendered again, which may not happen.
  const listId = useId()
  const combobox = useVirtualizedCombobox({
    opened: true,
    totalOptionsCount: results.length,
    getOptionId: (at) => results[at]?.id ?? null,
    selectedOptionIndex: active,
    setSelectedOptionIndex: (at) => {
      const id = results[at]?.id
      setActiveId(id)
      if (id) document.getElementById(id)?.scrollIntoView({ block: 'nearest' })
    },
    onSelectedOptionSubmit: submit,
    onDropdownClose: () => void onClose(),
  })
  const type = (next: string) => {
    setTyped(next)
    setActiveId(undefined)
  }
  return (
    <Combobox store={combobox}>
      <Combobox.EventsTarget withExpandedAttribute aria-controls={listId} aria-activedescendant={results[active]?.id}>
        <TextInput
          data-autofocus
          aria-label="Search"
          placeholder={placeholder}
          leftSection={<IconSearch size={16} />}
          value={typed}
          maxLength={maxSearchCharacters}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={(event) => {
            // Without any option the combobox does nothing.
            if (event.key === 'Enter' && results.length === 0) submit(0)
          }}
        />
      </Combobox.EventsTarget>
      <Combobox.Options id={listId} aria-label="Results" className={classes.list} hidden={results.length === 0}>
        {groups.map((group) => (
          <Results key={group.label} group={group} activeId={results[active]?.id} onOpen={open} />
        ))}
      </Combobox.Options>
      {error ? (
        <Group className={classes.note} justify="space-between" role="alert">
          <Text size="sm">{messageFor(error)}</Text>
          <Button variant="default" size="xs" onClick={() => retry()}>
            Try again
          </Button>
        </Group>
      ) : isBehind && !hasAnswer ? (
        <div className={classes.note}>
          <SkeletonLines count={3} />
        </div>
      ) : (
        results.length === 0 &&
        !isBehind && (
          <Text size="sm" c="dimmed" className={classes.note} role="status">
            Nothing matches “{text}”.
          </Text>
        )
      )}
      <Group className={classes.foot} justify="space-between">
        <Text size="xs" c="dimmed" aria-live="polite" className="nums">
          {text !== '' && !isBehind && results.length > 0 && plural(results.length, 'result')}
        </Text>
        <Group gap="md" visibleFrom="sm" aria-hidden>
          <Hint keys={['↑', '↓']} what="move" />
          <Hint keys={['Enter']} what="open" />
          <Hint keys={['Esc']} what="close" />
        </Group>
      </Group>
    </Combobox>
  )
}

/** Enter right after typing opens the first result for that text, once it has arrived. */
function useSubmit(results: Result[], isBehind: boolean, open: (result: Result) => void) {
  const [isWaiting, setWaiting] = useState(false)
  const openFirst = useEffectEvent(() => {
    setWaiting(false)
    const [first] = results
    if (first) open(first)
  })
  useEffect(() => {
    if (isWaiting && !isBehind) openFirst()
  }, [isWaiting, isBehind])
  return (index: number) => {
    const result = results[index]
    if (result && (result.isLocal || !isBehind || index > 0)) open(result)
    else if (isBehind) setWaiting(true)
  }
}

interface ResultsProps {
  group: ResultGroup
  activeId: string | undefined
  onOpen: (result: Result) => void
}

function Results({ group, activeId, onOpen }: ResultsProps) {
  return (
    <Combobox.Group label={group.label} classNames={{ group: classes.group, groupLabel: classes.label }}>
      {group.results.map((result) => (
        <Combobox.Option
          key={result.id}
          id={result.id}
          value={result.id}
          selected={result.id === activeId}
          aria-selected={result.id === activeId}
          className={`${classes.result} ${option.row}`}
          onClick={() => onOpen(result)}
        >
          <result.Icon size={18} stroke={1.7} aria-hidden className={classes.icon} />
          <span className={classes.words}>
            <span className={classes.name}>{result.name}</span>
            {result.detail && <span className={classes.detail}>{result.detail}</span>}
          </span>
          {result.status && <span className={classes.status}>{result.status}</span>}
        </Combobox.Option>
      ))}
    </Combobox.Group>
  )
}

const Hint = ({ keys, what }: { keys: string[]; what: string }) => (
  <Text size="xs" c="dimmed">
    {keys.map((key) => (
      <Kbd key={key} size="xs" mr={2}>
        {key}
      </Kbd>
    ))}{' '}
    {what}
  </Text>
)
