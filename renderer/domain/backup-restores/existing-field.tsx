import { Radio, Stack } from '@mantine/core'
import type { ExistingFiles } from '../../../shared/device/backup.ts'
import { existingWords } from './restore-words.ts'

const choices: { value: ExistingFiles; about: string }[] = [
  { value: 'rename', about: 'The restored one gets the day in its name, like “report (restored 2026-11-24).txt”.' },
  { value: 'keep', about: 'Only what’s missing is restored. No existing file changes.' },
  { value: 'replace', about: 'What was changed in it since the snapshot is lost. That can’t be undone.' },
]

interface Props {
  value: ExistingFiles
  onChange: (value: ExistingFiles) => void
}

/** What happens to a file that is there already. */
export function ExistingField({ value, onChange }: Props) {
  return (
    <Radio.Group
      label="If a file is there already"
      value={value}
      onChange={(chosen) => {
        const choice = choices.find((one) => one.value === chosen)
        if (choice) onChange(choice.value)
      }}
    >
      <Stack gap="xs" mt={6}>
        {choices.map((choice) => (
          <Radio
            key={choice.value}
            value={choice.value}
            label={existingWords[choice.value]}
            description={choice.about}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}
