import { Textarea } from '@mantine/core'
import type { PlanDraft } from './plan-draft.ts'

type Files = Pick<PlanDraft, 'paths' | 'leftOut'>

interface Props {
  value: Files
  errors: Partial<Record<keyof Files, string>>
  onChange: (change: Partial<Files>) => void
}

/** Folders and files that are named, and what is left out of them. */
export function FileFields({ value, errors, onChange }: Props) {
  return (
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
        value={value.paths}
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
        value={value.leftOut}
        onChange={(event) => onChange({ leftOut: event.currentTarget.value })}
      />
    </>
  )
}
