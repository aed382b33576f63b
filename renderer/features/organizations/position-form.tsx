import { Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { modals } from '@mantine/modals'
import { count } from '../../lib/format.ts'
import { inRange } from '../../lib/number-range.ts'
import { NumberField } from '../../ui/number-field.tsx'

interface Props {
  position: number
  total: number
  onMove: (position: number) => void
}

export function PositionForm({ position, total, onMove }: Props) {
  const range = { min: 1, max: total }
  const form = useForm({
    initialValues: { position: position as number | string },
    validate: { position: inRange(range) },
  })
  const move = ({ position: next }: typeof form.values) => {
    modals.closeAll()
    if (Number(next) !== position) onMove(Number(next))
  }
  return (
    <form onSubmit={form.onSubmit(move)} noValidate>
      <Stack>
        <NumberField
          data-autofocus
          label="Position"
          description={`From 1 to ${count(total)}.`}
          range={range}
          {...form.getInputProps('position')}
        />
        <Group justify="flex-end">
          <Button type="submit">Move</Button>
        </Group>
      </Stack>
    </form>
  )
}
