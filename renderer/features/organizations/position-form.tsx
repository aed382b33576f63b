import { Button, Group, NumberInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { modals } from '@mantine/modals'
import { count } from '../../lib/format.ts'

interface Props {
  position: number
  total: number
  onMove: (position: number) => void
}

export function PositionForm({ position, total, onMove }: Props) {
  const form = useForm({
    initialValues: { position: position as number | string },
    validate: {
      position: (value) =>
        Number(value) >= 1 && Number(value) <= total ? null : `Enter a number from 1 to ${count(total)}`,
    },
  })
  const move = ({ position: wanted }: typeof form.values) => {
    modals.closeAll()
    if (Number(wanted) !== position) onMove(Number(wanted))
  }
  return (
    <form onSubmit={form.onSubmit(move)} noValidate>
      <Stack>
        <NumberInput
          data-autofocus
          label="Position"
          description={`From 1 to ${count(total)}.`}
          allowDecimal={false}
          min={1}
          clampBehavior="none"
          {...form.getInputProps('position')}
        />
        <Group justify="flex-end">
          <Button type="submit">Move</Button>
        </Group>
      </Stack>
    </form>
  )
}
