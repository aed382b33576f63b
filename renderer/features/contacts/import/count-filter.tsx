import { Chip, Group } from '@mantine/core'
import { count } from '../../../lib/format.ts'

interface Props<Value extends string> {
  label: string
  total: number
  /** In display order; choices with no rows are left out. */
  choices: { value: Value; label: string; amount: number }[]
  value: Value | 'all'
  onChange: (value: Value | 'all') => void
}

/** Number of rows per kind; each one is a filter. */
export function CountFilter<Value extends string>({ label, total, choices, value, onChange }: Props<Value>) {
  return (
    <Chip.Group<false> value={value as string} onChange={(next) => onChange(next as Value | 'all')}>
      <Group gap={6} role="radiogroup" aria-label={label}>
        <Chip value="all" size="xs" variant="outline">
          All rows: {count(total)}
        </Chip>
        {choices
          .filter(({ amount }) => amount > 0)
          .map((choice) => (
            <Chip key={choice.value} value={choice.value} size="xs" variant="outline">
              {choice.label}: {count(choice.amount)}
            </Chip>
          ))}
      </Group>
    </Chip.Group>
  )
}
