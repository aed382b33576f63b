import { Button, Group, TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import type { LogFilters } from '../../data/audit-log.ts'
import { dayMs, hourMs } from '../../lib/now.ts'

/** Width of one filter in the row. */
export const filterWidth = { flex: '1 1 150px', maw: { sm: 220 } } as const

interface Props {
  label: string
  value: string | undefined
  error?: ReactNode
  onChange: (value: string | undefined) => void
}

export function TimeFilter({ label, value, error, onChange }: Props) {
  const [isHalf, setHalf] = useState(false)
  // A time span was chosen.
  useEffect(() => {
    if (value) setHalf(false)
  }, [value])
  return (
    <TextInput
      {...filterWidth}
      type="datetime-local"
      label={label}
      error={isHalf ? 'Enter a date and time' : error}
      value={value ? localMoment(value) : ''}
      // A half-filled field has no value, so the browser's validity is checked.
      onBlur={({ currentTarget }) => setHalf(currentTarget.validity.badInput)}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value ? new Date(currentTarget.value).toISOString() : undefined)
      }
    />
  )
}

const spans = [
  { name: 'Last hour', ms: hourMs },
  { name: 'Last 24 hours', ms: dayMs },
  { name: 'Last 7 days', ms: 7 * dayMs },
  { name: 'Last 30 days', ms: 30 * dayMs },
]

interface SpanProps extends Pick<LogFilters, 'from' | 'to'> {
  onChoose: (change: Pick<LogFilters, 'from' | 'to'>) => void
}

/** Buttons for the most frequent time spans. The one that was chosen looks pressed until the times are changed. */
export function TimeSpanButtons({ from, to, onChoose }: SpanProps) {
  const [chosen, setChosen] = useState<{ name: string; from: string }>()
  const isChosen = (name: string) => chosen?.name === name && chosen.from === from && to === undefined
  const choose = (name: string, ms: number) => {
    const begin = new Date(Date.now() - ms).toISOString()
    setChosen({ name, from: begin })
    onChoose({ from: begin, to: undefined })
  }
  return (
    <Group gap="xs" mih={36} mt={{ sm: 23 }} role="group" aria-label="Time span">
      {spans.map(({ name, ms }) => (
        <Button
          key={name}
          size="compact-sm"
          variant={isChosen(name) ? 'light' : 'default'}
          aria-pressed={isChosen(name)}
          onClick={() => choose(name, ms)}
        >
          {name}
        </Button>
      ))}
    </Group>
  )
}

/** The value of a `datetime-local` input, in the browser's time zone. */
function localMoment(instant: string): string {
  const moment = new Date(instant)
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
