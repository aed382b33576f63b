import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { cancelCommandMutation, isRunning } from '../../data/commands.ts'
import type { CommandWithOutput } from '../../data/live-rows.ts'
import { commandDurationMs } from '../../domain/commands/command-labels.ts'
import { CommandStatus } from '../../domain/commands/command-status.tsx'
import { OutputView } from '../../domain/commands/output-view.tsx'
import { duration } from '../../lib/format.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'

interface Props {
  command: CommandWithOutput
  /** Offered once the command has ended. */
  again?: ReactNode
}

/** How a command goes: status, output, and a button to cancel it. */
export function CommandProgress({ command, again }: Props) {
  const me = useMe()
  const stop = useMutation(cancelCommandMutation(command.deviceId))
  const isOpen = isRunning(command)
  const took = commandDurationMs(command)
  const reason = command.result?.error ?? command.result?.reason
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Group gap="md">
          <Group gap="md" role="status">
            <Text size="sm" component="div">
              <CommandStatus command={command} />
            </Text>
            {!isOpen && took !== null && (
              <Text size="sm" c="dimmed" className="nums">
                {duration(took)}
              </Text>
            )}
          </Group>
          {command.status === 'pending' && command.expiresAt && (
            <Text size="sm" c="dimmed" component="div">
              Starts when the device reports. Gives up <RelativeTime at={command.expiresAt} />
            </Text>
          )}
        </Group>
        {isOpen && can(me, 'devices:execute') && (
          <Button
            size="xs"
            variant="default"
            loading={stop.isPending}
            onClick={() => stop.mutate(command.id, { onError: notifyFailed('The command wasn’t canceled') })}
          >
            Cancel command
          </Button>
        )}
        {!isOpen && again}
      </Group>
      {reason && (
        <Alert color="red" variant="light" p="xs">
          {reason}
        </Alert>
      )}
      <OutputView command={command} isRunning={isOpen} />
    </Stack>
  )
}
