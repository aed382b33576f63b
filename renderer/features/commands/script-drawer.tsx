import { Alert, Button, Drawer, Group, Stack, Text } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { type DeviceCommand, scriptLanguage, scriptPatienceSeconds } from '../../../shared/api/commands.ts'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { isRunning, runScriptMutation } from '../../data/commands.ts'
import { scriptOf } from '../../domain/commands/command-labels.ts'
import { newScript, type Script, ScriptFields } from '../../domain/commands/script-fields.tsx'
import { useUnavailableReason } from '../../domain/commands/use-unavailable-reason.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { timeSpan } from '../../lib/format.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { FormError } from '../../ui/form-error.tsx'
import { TextLink } from '../../ui/links.tsx'
import { CommandLoaded } from './command-loaded.tsx'
import { CommandProgress } from './command-progress.tsx'

interface Props {
  device: DeviceDetail
  isOpen: boolean
  /** The command whose script the form starts with. */
  template: string | undefined
  onClose: () => void
}

/** Writes and runs a script. The text stays, so that it can be changed and run again. */
export function ScriptDrawer({ device, isOpen, template, onClose }: Props) {
  const leadsTo = useSearch({ from: '/app/devices/$deviceId' }).command
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      // A link to the command closes the panel; the focus then goes to the command.
      returnFocus={leadsTo === undefined}
      position="right"
      size={720}
      title={`Run a script on ${deviceName(device)}`}
    >
      {template === undefined ? (
        <ScriptForm device={device} first={null} />
      ) : (
        <CommandLoaded deviceId={device.id} commandId={template}>
          {(command) => <ScriptForm key={template} device={device} first={command} />}
        </CommandLoaded>
      )}
    </Drawer>
  )
}

/** @param first the script that is run again, if any */
function ScriptForm({ device, first }: { device: DeviceDetail; first: DeviceCommand | null }) {
  const [firstScript] = useState(() => scriptToStartWith(device, first))
  const [script, setScript] = useState(firstScript)
  useUnsavedChanges(script.content !== firstScript.content)
  const start = useMutation(runScriptMutation(device.id))
  const unavailableReason = useUnavailableReason(device, 'scripts:execute')
  const canRun = !unavailableReason && script.content.trim() !== '' && !start.isPending

  const run = () => {
    if (canRun) start.mutate(script)
  }
  return (
    <Stack>
      {unavailableReason && (
        <Alert color="yellow" variant="light" p="sm">
          {unavailableReason}.
        </Alert>
      )}
      {device.status === 'offline' && (
        <Alert variant="light" p="sm">
          The device is offline. The script starts if the device comes back within{' '}
          {timeSpan(scriptPatienceSeconds(script.timeoutSeconds))}, otherwise it’s dropped.
        </Alert>
      )}
      <ScriptFields script={script} onChange={setScript} onRun={run} />
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          Runs as root or SYSTEM. <span className="key-hint">Press Ctrl+Enter to run.</span>
        </Text>
        <Button leftSection={<IconPlayerPlay size={16} />} onClick={run} disabled={!canRun} loading={start.isPending}>
          {start.data ? 'Run again' : 'Run'}
        </Button>
      </Group>
      <FormError error={start.error} />
      {start.data && (
        <CommandLoaded deviceId={device.id} commandId={start.data.id}>
          {(command) => (
            <>
              <CommandProgress key={command.id} command={command} />
              <Text size="xs" c="dimmed">
                {isRunning(command)
                  ? 'You can close this panel. The script keeps running; see '
                  : 'The output is also under '}
                <TextLink
                  to="/devices/$deviceId"
                  params={{ deviceId: device.id }}
                  search={{ tab: 'commands', command: command.id }}
                  size="xs"
                  td="underline"
                >
                  Commands
                </TextLink>
                {isRunning(command) ? ' for its output.' : '.'}
              </Text>
            </>
          )}
        </CommandLoaded>
      )}
    </Stack>
  )
}

function scriptToStartWith({ osType }: DeviceDetail, first: DeviceCommand | null): Script {
  const { language, timeoutSeconds, ...script } = newScript(osType === 'windows' ? 'powershell' : 'bash')
  return {
    ...script,
    ...(first && { content: scriptOf(first) ?? '' }),
    language: scriptLanguage.catch(language).parse(first?.payload.language),
    timeoutSeconds: Number(first?.payload.timeoutSeconds ?? timeoutSeconds),
  }
}
