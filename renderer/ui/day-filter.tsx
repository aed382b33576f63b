import { TextInput } from '@mantine/core'

interface Props {
  /** `2026-11-24`. */
  value: string | undefined
  onChange: (day: string | undefined) => void
}

/** Limits a list to one day. */
export function DayFilter({ value, onChange }: Props) {
  return (
    <TextInput
      type="date"
      aria-label="Day"
      flex="1 1 140px"
      maw={{ sm: 170 }}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  )
}
