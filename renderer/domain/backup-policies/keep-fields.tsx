import { Group, Input, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Notice } from '../../ui/notice.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { frequencyOf, keepErrors } from './plan-draft.ts'
import { type OwnNumbers, presetNames, presetOrder, type RetentionChoice, retentionFor } from './retention-choice.ts'
import { hasGaps } from './retention-picture.ts'
import { RetentionPicture } from './retention-picture-view.tsx'
import { retentionWords } from './retention-words.ts'
import type { PlanFieldProps } from './what-fields.tsx'

const ownFields: { key: keyof OwnNumbers; label: string; max: number }[] = [
  { key: 'keepDaily', label: 'Days', max: 365 },
  { key: 'keepWeekly', label: 'Weeks', max: 260 },
  { key: 'keepMonthly', label: 'Months', max: 120 },
  { key: 'keepYearly', label: 'Years', max: 25 },
]
const daysRange = { min: 1, max: 3650 }

const choices = [...presetOrder, 'forever', 'custom'] as const

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** How long snapshots are kept, with a picture of those there will be. */
export function KeepFields({ draft, errors, onChange }: PlanFieldProps) {
  const { retention: choice } = draft
  // Offered only where it was so: it fills every storage.
  const [hasForever] = useState(choice.keep === 'forever')
  const frequency = frequencyOf(draft)
  const change = (part: Partial<RetentionChoice>) => onChange({ retention: { ...choice, ...part } })
  const isComplete = Object.keys(keepErrors(draft)).length === 0
  const retention = retentionFor(choice, frequency)
  const schedule = { frequency, dayOfWeek: draft.dayOfWeek, dayOfMonth: Number(draft.dayOfMonth) }
  return (
    <>
      <Radio.Group
        label="Keep snapshots"
        value={choice.keep}
        onChange={(value) => change({ keep: choices.find((one) => one === value) ?? 'custom' })}
      >
        <Stack gap="xs" mt={6}>
          {presetOrder.map((keep) => (
            <Radio
              key={keep}
              value={keep}
              label={presetNames[keep]}
              description={capitalized(retentionWords(retentionFor({ ...choice, keep }, frequency)))}
            />
          ))}
          {hasForever && <Radio value="forever" label="Forever" description="No snapshot expires" />}
          <Radio value="custom" label="Custom" description="Your own numbers" />
        </Stack>
      </Radio.Group>
      {choice.keep === 'custom' &&
        (frequency === 'daily' ? (
          <Input.Wrapper label="Keep one snapshot of each of the last" labelElement="div" error={errors.ownNumbers}>
            <Group gap="sm" my={6}>
              {ownFields.map(({ key, label, max }) => (
                <NumberField
                  key={key}
                  label={label}
                  flex="1 1 80px"
                  range={{ min: 0, max }}
                  value={choice.own[key]}
                  onChange={(value) => change({ own: { ...choice.own, [key]: value } })}
                />
              ))}
            </Group>
          </Input.Wrapper>
        ) : (
          <NumberField
            label="Days to keep each snapshot"
            range={daysRange}
            error={errors.ownNumbers}
            value={choice.own.retentionDays}
            onChange={(retentionDays) => change({ own: { ...choice.own, retentionDays } })}
          />
        ))}
      {isComplete && (
        <>
          <RetentionPicture retention={retention} schedule={schedule} />
          {hasGaps(retention, schedule) && (
            <Notice tone="warn">
              <Text size="sm">A snapshot may be deleted before the next one is made. Keep snapshots for longer.</Text>
            </Notice>
          )}
        </>
      )}
    </>
  )
}
