import { Group, Input, SegmentedControl, Select, Text, TextInput } from '@mantine/core'
import { NumberField } from '../../ui/number-field.tsx'
import { scheduleOf } from './plan-draft.ts'
import { scheduleWords, weekdays, zoneWords } from './schedule-words.ts'
import type { PlanFieldProps } from './what-fields.tsx'

const frequencies = [
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
  { value: 'monthly', label: 'Monthly' },
] as const
const manual = { value: 'never', label: 'Manually' } as const

const dayRange = { min: 1, max: 28 }

/** When backups are made. */
export function WhenFields({ draft, errors, onChange, hasManual }: PlanFieldProps & { hasManual?: boolean }) {
  const schedule = scheduleOf(draft)
  const options = hasManual ? [...frequencies, manual] : frequencies
  return (
    <>
      <Input.Wrapper label="How often" labelElement="div">
        <SegmentedControl
          fullWidth
          mt={6}
          aria-label="How often"
          data={[...options]}
          value={draft.frequency}
          onChange={(frequency) => onChange({ frequency })}
        />
      </Input.Wrapper>
      {schedule && (
        <Group gap="sm" align="flex-start">
          {draft.frequency === 'weekly' && (
            <Select
              label="Day"
              flex="1 1 140px"
              allowDeselect={false}
              data={weekdays.map((label, value) => ({ value: String(value), label }))}
              value={String(draft.dayOfWeek)}
              onChange={(value) => onChange({ dayOfWeek: Number(value) })}
            />
          )}
          {draft.frequency === 'monthly' && (
            <NumberField
              label="Day of the month"
              flex="1 1 140px"
              range={dayRange}
              value={draft.dayOfMonth}
              error={errors.dayOfMonth}
              onChange={(dayOfMonth) => onChange({ dayOfMonth })}
            />
          )}
          <TextInput
            type="time"
            label="Time"
            flex="1 1 140px"
            error={errors.time}
            value={draft.time}
            onChange={(event) => onChange({ time: event.currentTarget.value })}
          />
        </Group>
      )}
      <Text size="sm" aria-live="polite">
        {schedule?.time
          ? `Runs ${scheduleWords(schedule)}, ${zoneWords(schedule)}. Choose a time when the devices are on.`
          : !schedule && 'Runs only when you start a backup.'}
      </Text>
    </>
  )
}
