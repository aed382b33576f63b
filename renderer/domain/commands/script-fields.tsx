import { Group, SegmentedControl, Select, Text, Textarea } from '@mantine/core'
import { getHotkeyHandler } from '@mantine/hooks'
import { timeSpan } from '../../lib/format.ts'
import classes from './script-fields.module.css'

type Language = 'bash' | 'powershell'

const languages: { value: Language; label: string }[] = [
  { value: 'bash', label: 'Bash' },
  { value: 'powershell', label: 'PowerShell' },
]
const timeouts = [
  { value: '60', label: '1 minute' },
  { value: '300', label: '5 minutes' },
  { value: '1800', label: '30 minutes' },
  { value: '7200', label: '2 hours' },
  { value: '86400', label: '1 day' },
]
/** Scripts that were run through the API may have any limit. */
const timeoutsWith = (seconds: number) =>
  timeouts.some(({ value }) => value === String(seconds))
    ? timeouts
    : [{ value: String(seconds), label: timeSpan(seconds) }, ...timeouts]
const maxLength = 256_000

export interface Script {
  language: Language
  content: string
  timeoutSeconds: number
}

export const newScript = (language: Language): Script => ({ language, content: '', timeoutSeconds: 300 })

interface Props {
  script: Script
  onChange: (script: Script) => void
  /** Ctrl+Enter. */
  onRun: () => void
}

/** What a script is, and how long it may take. */
export function ScriptFields({ script, onChange, onRun }: Props) {
  return (
    <>
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label="Language"
          value={script.language}
          onChange={(language) => onChange({ ...script, language })}
          data={languages}
        />
        <Group gap="xs">
          <Text size="sm" c="dimmed" component="label" htmlFor="script-timeout">
            Time limit
          </Text>
          <Select
            id="script-timeout"
            size="xs"
            w={120}
            allowDeselect={false}
            data={timeoutsWith(script.timeoutSeconds)}
            value={String(script.timeoutSeconds)}
            onChange={(value) => value && onChange({ ...script, timeoutSeconds: Number(value) })}
          />
        </Group>
      </Group>
      <Textarea
        aria-label="Script"
        placeholder={script.language === 'bash' ? 'uname -a\ndf -h' : 'Get-ComputerInfo\nGet-PSDrive'}
        classNames={{ input: classes.editor }}
        autosize
        minRows={8}
        maxRows={20}
        maxLength={maxLength}
        spellCheck={false}
        autoCapitalize="off"
        data-autofocus
        value={script.content}
        onChange={(event) => onChange({ ...script, content: event.currentTarget.value })}
        onKeyDown={getHotkeyHandler([['mod+Enter', onRun]])}
      />
    </>
  )
}
