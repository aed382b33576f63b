import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { NumberField } from '../../ui/number-field.tsx'
import { type LockedBy, lockRange } from './plan-draft.ts'
import type { PlanFieldProps } from './what-fields.tsx'

interface Props extends PlanFieldProps {
  /** Whether the storage that is chosen can lock snapshots itself. */
  isByStorage: boolean
}

const choices: { value: LockedBy; label: string; about: string }[] = [
  { value: 'none', label: 'Don’t lock', about: 'Snapshots can be deleted, and expire as above.' },
  {
    value: 'application',
    label: 'Locked by Homeport',
    about: 'Nobody deletes them in Homeport, administrators included. Someone with the keys of the storage can.',
  },
  {
    value: 'provider',
    label: 'Locked by the storage',
    about:
      'Not even someone with the keys of the bucket can delete them. They take up space until then, and up to ten days longer.',
  },
]

/** Whether each new snapshot is locked, for how long, and by whom. */
export function LockFields({ draft, errors, onChange, isByStorage }: Props) {
  // What was chosen stays, and says itself why it does not work.
  const [hasStorage] = useState(draft.lock === 'provider')
  const offered = choices.filter(({ value }) => value !== 'provider' || isByStorage || hasStorage)
  return (
    <>
      <Radio.Group
        label="Lock new snapshots"
        value={draft.lock}
        onChange={(value) => onChange({ lock: choices.find((one) => one.value === value)?.value ?? 'none' })}
      >
        <Stack gap="xs" mt={6}>
          {offered.map(({ value, label, about }) => (
            <Radio key={value} value={value} label={label} description={about} />
          ))}
        </Stack>
      </Radio.Group>
      {draft.lock !== 'none' && (
        <NumberField
          label="Days to lock each snapshot"
          range={lockRange}
          allowDecimal={false}
          error={errors.lockDays}
          value={draft.lockDays}
          onChange={(lockDays) => onChange({ lockDays })}
        />
      )}
    </>
  )
}
