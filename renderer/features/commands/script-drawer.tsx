import { Alert, Button, Drawer, Group, SegmentedControl, Select, Stack, Text, Textarea } from '@mantine/core'
import { getHotkeyHandler } from '@mantine/hooks'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type DeviceCommand, scriptLanguage, scriptPatienceSeconds } from '../../../shared/api/commands.ts'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { runScriptMutation } from '../../data/commands.ts'
import { scriptOf } from '../../domain/commands/command-labels.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { timeSpan } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { FormError } from '../../ui/form-error.tsx'
import { TextLink } from '../../ui/links.tsx'
import { CommandLoaded } from './command-loaded.tsx'
import { CommandProgress } from './command-progress.tsx'
import classes from './script-drawer.module.css'

const timeouts = [
  { value: '60', label: '1 minute' },
  { value: '300', label: '5 minutes' },
  { value: '1800', label: '30 minutes' },
  { value: '7200', label: '2 hours' },
  { value: '86400', label: '1 day' },
]
/** Scripts that were run through the API may have any. */
const timeoutsWith = (seconds: string) =>
  timeouts.some(({ value }) => value === seconds)
    ? timeouts
    : [{ value: seconds, label: timeSpan(Number(seconds)) }, ...timeouts]
const maxLength = 256_000

interface Props {
  device: DeviceDetail
  isOpen: boolean
  /** The command whose script the form starts with. */
  template: string | undefined
  onClose: () => void
}

/** Writes and runs a script. The text stays, so that it can be changed and run again. */
export function ScriptDrawer({ device, isOpen, template, onClose }: Props) {
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
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
  const me = useMe()
  const usual = device.osType === 'windows' ? 'powershell' : 'bash'
  const [firstContent, firstSeconds] = [(first && scriptOf(first)) ?? '', first?.payload.timeoutSeconds ?? 300]
  const [language, setLanguage] = useState(scriptLanguage.catch(usual).parse(first?.payload.language))
  const [content, setContent] = useState(firstContent)
  const [timeout, setTimeoutSeconds] = useState(String(firstSeconds))
  useUnsavedChanges(content !== firstContent)
  const start = useMutation(runScriptMutation(device.id))
  const unavailableReason = unavailableReasonFor(device, can(me, 'scripts:execute'))
  const canRun = !unavailableReason && content.trim() !== '' && !start.isPending

  const run = () => {
    if (canRun) start.mutate({ language, content, timeoutSeconds: Number(timeout) })
  }
  return (
    <Stack>
      {unavailableReason && (
        <Alert color="yellow" variant="light" p="sm">
          {unavailableReason}
        </Alert>
      )}
      {device.status === 'offline' && (
        <Alert variant="light" p="sm">
          The device is offline. The script starts if the device comes back within{' '}
          {timeSpan(scriptPatienceSeconds(Number(timeout)))}, otherwise it’s dropped.
        </Alert>
      )}
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label="Language"
          value={language}
          onChange={(value) => setLanguage(scriptLanguage.parse(value))}
          data={[
            { value: 'bash', label: 'Bash' },
            { value: 'powershell', label: 'PowerShell' },
          ]}
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
            data={timeoutsWith(timeout)}
            value={timeout}
            onChange={(value) => value && setTimeoutSeconds(value)}
          />
        </Group>
      </Group>
      <Textarea
        aria-label="Script"
        placeholder={language === 'bash' ? 'uname -a\ndf -h' : 'Get-ComputerInfo\nGet-PSDrive'}
        classNames={{ input: classes.editor }}
        autosize
        minRows={8}
        maxRows={20}
        maxLength={maxLength}
        spellCheck={false}
        autoCapitalize="off"
        data-autofocus
        value={content}
        onChange={(event) => setContent(event.currentTarget.value)}
        onKeyDown={getHotkeyHandler([['mod+Enter', run]])}
      />
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          Runs as root or SYSTEM. Press Ctrl+Enter to run.
        </Text>
        <Button leftSection={<IconPlayerPlay size={16} />} onClick={run} disabled={!canRun} loading={start.isPending}>
          {start.data ? 'Run again' : 'Run'}
        </Button>
      </Group>
      <FormError error={start.error} />
      {start.data && (
        <CommandLoaded deviceId={device.id} commandId={start.data.id}>
          {(command) => <CommandProgress key={command.id} command={command} />}
        </CommandLoaded>
      )}
      {start.data && (
        <Text size="xs" c="dimmed">
          You can close this panel. The script keeps running; see{' '}
          <TextLink
            to="/devices/$deviceId"
            params={{ deviceId: device.id }}
            search={{ tab: 'commands', command: start.data.id }}
            size="xs"
            td="underline"
          >
            Commands
          </TextLink>
          for its output.
        </Text>
      )}
    </Stack>
  )
}

function unavailableReasonFor(device: DeviceDetail, isAllowed: boolean): string | null {
  if (device.status === 'decommissioned') return 'The device is decommissioned and accepts no commands.'
  return isAllowed ? null : 'Your role doesn’t allow running scripts.'
}
