import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { cancelCommandMutation, commandQuery, isRunning } from '../../data/commands.ts'
import { duration } from '../../lib/format.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import classes from './command-detail.module.css'
import { commandDurationMs } from './command-labels.ts'
import { CommandStatus } from './command-status.tsx'
import { OutputView } from './output-view.tsx'

/** One command: status, output, and a button to cancel it. */
export function CommandDetail({ deviceId, commandId }: { deviceId: string; commandId: string }) {
  const me = useMe()
  const { data: command, error, refetch } = useQuery(commandQuery(deviceId, commandId))
  const stop = useMutation(cancelCommandMutation(deviceId))
  if (error && !command) return <LoadFailed error={error} onRetry={refetch} />
  if (!command) return <SkeletonLines count={3} />
  const isOpen = isRunning(command)
  const script = typeof command.payload.content === 'string' ? command.payload.content : null
  const reason = command.result?.error ?? command.result?.reason
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Group gap="md" role="status">
          <Text size="sm" component="div">
            <CommandStatus command={command} />
          </Text>
          {!isOpen && (
            <Text size="sm" c="dimmed" className="nums">
              {duration(commandDurationMs(command))}
            </Text>
          )}
          {command.status === 'pending' && command.expiresAt && (
            <Text size="sm" c="dimmed" component="div">
              Gives up <RelativeTime at={command.expiresAt} />
            </Text>
          )}
        </Group>
        {isOpen && can(me, 'devices:execute') && (
          <Button
            size="xs"
            variant="default"
            loading={stop.isPending}
            onClick={() => stop.mutate(commandId, { onError: notifyFailed('The command wasn’t canceled') })}
          >
            Cancel command
          </Button>
        )}
      </Group>
      {reason && (
        <Alert color="red" variant="light" p="xs">
          {reason}
        </Alert>
      )}
      {script && (
        <details className={classes.script}>
          <summary>Script</summary>
          <pre>{script}</pre>
        </details>
      )}
      <OutputView command={command} isRunning={isOpen} />
    </Stack>
  )
}
