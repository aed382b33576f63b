import { SegmentedControl } from '@mantine/core'

interface Props<Value extends string> {
  /** Accessible name. */
  label: string
  data: readonly { value: Value; label: string }[]
  /** Undefined for all. */
  value: Value | undefined
  onChange: (value: Value | undefined) => void
}

/** Filters a list by one of a few values, which are all in sight. */
export function FilterSegments<Value extends string>({ label, data, value, onChange }: Props<Value>) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={label}
      value={value ?? 'all'}
      onChange={(next) => onChange(data.find((option) => option.value === next)?.value)}
      data={[{ value: 'all', label: 'All' }, ...data]}
    />
  )
}
