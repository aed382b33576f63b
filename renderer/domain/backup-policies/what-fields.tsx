import { Radio, Stack, Text, Textarea } from '@mantine/core'
import type { PlanDraft, PlanErrors, What } from './plan-draft.ts'

export interface PlanFieldProps {
  draft: PlanDraft
  errors: PlanErrors
  onChange: (change: Partial<PlanDraft>) => void
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
]

/** What is protected. */
export function WhatFields({ draft, errors, onChange }: PlanFieldProps) {
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
          {choices.map(({ value, label, about }) => (
            <Radio key={value} value={value} label={label} description={about} />
          ))}
        </Stack>
      </Radio.Group>
      {draft.what === 'custom' && (
        <>
          <Textarea
            label="Folders and files"
            description="One to a line, as on the devices. {userFolders} stands for the user folders of every system."
            placeholder={'C:\\Data\n/srv/data'}
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            error={errors.paths}
            value={draft.paths}
            onChange={(event) => onChange({ paths: event.currentTarget.value })}
          />
          <Textarea
            label="Left out"
            description="One to a line: a name leaves it out everywhere, and * stands for any characters. These are the usual ones."
            autosize
            minRows={3}
            maxRows={8}
            spellCheck={false}
            error={errors.leftOut}
            value={draft.leftOut}
            onChange={(event) => onChange({ leftOut: event.currentTarget.value })}
          />
        </>
      )}
      {(draft.what === 'people' || draft.what === 'system') && (
        <Text size="xs" c="dimmed">
          Left out is what nobody wants back, such as caches, the trash and swap files.
        </Text>
      )}
    </Stack>
  )
}
