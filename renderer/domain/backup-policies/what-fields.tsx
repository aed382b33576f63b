import { Radio, Select, Stack, Text } from '@mantine/core'
import { FileFields } from './file-fields.tsx'
import type { PlanDraft, PlanErrors, What } from './plan-draft.ts'

export interface PlanFieldProps {
  draft: PlanDraft
  errors: PlanErrors
  onChange: (change: Partial<PlanDraft>) => void
}

interface Props extends PlanFieldProps {
  /** To choose from; left out where there are none. */
  profiles?: readonly { id: string; name: string }[]
}

const choices: { value: Exclude<What, 'other'>; label: string; about: string }[] = [
  {
    value: 'people',
    label: 'People’s files',
    about: 'Everything in the user folders: C:\\Users on Windows, /Users on macOS, /home and /root on Linux.',
  },
  {
    value: 'system',
    label: 'Whole system',
    about: 'All files of all built-in disks, programs and settings included.',
  },
  { value: 'custom', label: 'Custom', about: 'Folders and files that you name.' },
  { value: 'profile', label: 'A profile', about: 'What a profile says, which several policies can share.' },
]

/** What is protected. */
export function WhatFields({ draft, errors, onChange, profiles = [] }: Props) {
  const offered = choices.filter(({ value }) => value !== 'profile' || profiles.length > 0)
  return (
    <Stack gap="sm">
      <Radio.Group
        label="What to protect"
        value={draft.what}
        onChange={(value) => {
          const chosen = choices.find((one) => one.value === value)
          if (chosen) onChange({ what: chosen.value })
        }}
      >
        <Stack gap="xs" mt={6}>
          {offered.map(({ value, label, about }) => (
            <Radio key={value} value={value} label={label} description={about} />
          ))}
        </Stack>
      </Radio.Group>
      {draft.what === 'custom' && <FileFields value={draft} errors={errors} onChange={onChange} />}
      {draft.what === 'profile' && (
        <Select
          label="Profile"
          data={profiles.map(({ id, name }) => ({ value: id, label: name }))}
          allowDeselect={false}
          error={errors.profileId}
          value={draft.profileId}
          onChange={(profileId) => onChange({ profileId })}
        />
      )}
      {(draft.what === 'people' || draft.what === 'system') && (
        <Text size="xs" c="dimmed">
          Caches, the trash, swap files and the like are left out.
        </Text>
      )}
    </Stack>
  )
}
