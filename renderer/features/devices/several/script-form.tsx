import { Button, Stack, Text } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { scriptPatienceSeconds } from '../../../../shared/api/commands.ts'
import type { ListedDevice } from '../../../../shared/api/devices.ts'
import { scriptDevices } from '../../../data/several-devices.ts'
import { newScript, type Script, ScriptFields } from '../../../domain/commands/script-fields.tsx'
import { plural, timeSpan } from '../../../lib/format.ts'
import { useUnsavedChanges } from '../../../lib/unsaved-changes.ts'
import { DialogFooter } from '../../../ui/dialog-footer.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { acceptsCommands, isReachable } from './commandable.ts'
import { devicesAre, devicesAreNot, devicesText, idsOf, outcomeOf, type SeveralFormProps } from './outcome.ts'

const isWindows = ({ osType }: ListedDevice) => osType === 'windows'

/** Runs a script on several devices. */
export function ScriptForm({ devices, onDone }: SeveralFormProps) {
  const [script, setScript] = useState(() => newScript(devices.every(isWindows) ? 'powershell' : 'bash'))
  useUnsavedChanges(script.content !== '')
  const start = useMutation({
    ...scriptDevices,
    onSuccess: ({ commands, ...refused }) => {
      const text = `The script is queued for ${plural(commands.length, 'device')}. Output appears when it runs there.`
      onDone({ ...outcomeOf(commands.length, 'Script queued', text, refused), scripts: commands })
      return scriptDevices.onSuccess()
    },
  })
  const canRun = script.content.trim() !== '' && !start.isPending
  const run = () => {
    if (canRun) start.mutate({ deviceIds: idsOf(devices), ...script })
  }
  const notes = notesOn(devices, script)
  return (
    <Stack>
      {notes.length > 0 && (
        <Notice tone="busy">
          {notes.map((note) => (
            <Text key={note} size="sm">
              {note}
            </Text>
          ))}
        </Notice>
      )}
      <ScriptFields script={script} onChange={setScript} onRun={run} />
      <FormError error={start.error} />
      <DialogFooter
        otherwise={
          <Text size="xs" c="dimmed">
            Runs as root or SYSTEM. <span className="key-hint">Press Ctrl+Enter to run.</span>
          </Text>
        }
      >
        <Button leftSection={<IconPlayerPlay size={16} />} onClick={run} disabled={!canRun} loading={start.isPending}>
          Run on {devicesText(devices)}
        </Button>
      </DialogFooter>
    </Stack>
  )
}

/** On which of them it may not run. */
function notesOn(devices: readonly ListedDevice[], { language, timeoutSeconds }: Script): string[] {
  const able = devices.filter(acceptsCommands)
  const away = able.filter((device) => !isReachable(device)).length
  const foreign = able.filter((device) => isWindows(device) === (language === 'bash')).length
  const unable = devices.length - able.length
  const wait = timeSpan(scriptPatienceSeconds(timeoutSeconds))
  return [
    ...(away > 0
      ? [
          `${devicesAreNot(away)} online. The script starts there if ${away === 1 ? 'it’s' : 'they’re'} back within ${wait}, otherwise it’s dropped.`,
        ]
      : []),
    ...(foreign > 0
      ? [
          language === 'bash'
            ? `${plural(foreign, 'device')} with Windows: Bash is usually not installed there.`
            : `${plural(foreign, 'device')} without Windows: PowerShell is usually not installed there.`,
        ]
      : []),
    ...(unable > 0 ? [`${devicesAre(unable)} decommissioned or waiting for approval and will be left out.`] : []),
  ]
}
