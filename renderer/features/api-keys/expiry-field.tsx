import { Select, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { dayMs } from '../../lib/now.ts'

const presets = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
]
const choices = [...presets, { value: 'day', label: 'On a date…' }, { value: 'never', label: 'No expiry' }]

export interface Expiry {
  /** Number of days, or one of the other choices. */
  expiry: string
  /** `YYYY-MM-DD`, if a date is chosen. */
  lastDay: string
}

export const defaultExpiry: Expiry = { expiry: '365', lastDay: '' }

export const expiryRules = {
  lastDay: (lastDay: string, { expiry }: Expiry) =>
    expiry !== 'day'
      ? null
      : !lastDay
        ? 'Choose a date'
        : endOf(lastDay) > Date.now()
          ? null
          : 'Choose a date in the future',
}

/** The end of a day in the browser's time zone, in milliseconds. */
const endOf = (day: string) => new Date(`${day}T23:59:59`).getTime()

/** In the format of the API. */
export function expiresAtOf({ expiry, lastDay }: Expiry): string | null {
  if (expiry === 'never') return null
  return new Date(expiry === 'day' ? endOf(lastDay) : Date.now() + Number(expiry) * dayMs).toISOString()
}

/** Expiry of a key, which cannot be changed later. */
export function ExpiryField<Values extends Expiry>({ form }: { form: UseFormReturnType<Values> }) {
  const { expiry } = form.values
  return (
    <Stack gap="xs" flex="1 1 200px">
      <Select
        label="Expires"
        description={expiry === 'never' ? 'Works until someone revokes it.' : 'Expires permanently after this date.'}
        allowDeselect={false}
        data={choices}
        {...form.getInputProps('expiry')}
      />
      {expiry === 'day' && <TextInput label="Last day" type="date" {...form.getInputProps('lastDay')} />}
    </Stack>
  )
}
