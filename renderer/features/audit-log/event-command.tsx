import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { AuditEventView } from '../../../shared/api/audit-log.ts'
import { commandQuery, isRunning } from '../../data/commands.ts'
import { CommandStatus } from '../../domain/commands/command-status.tsx'
import { CommandTitle } from '../../domain/commands/command-title.tsx'
import { OutputView } from '../../domain/commands/output-view.tsx'
import { ApiError } from '../../lib/api-error.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'

/** The command that an event is about, with what it said; nothing for other events. */
export function EventCommand({ event: { resource, details } }: { event: AuditEventView }) {
  const me = useMe()
  const commandId = details?.commandId
  if (resource.type !== 'device' || typeof commandId !== 'string' || !can(me, 'devices:read')) return null
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        Command
      </Title>
      <Shown deviceId={resource.id} commandId={commandId} />
    </Stack>
  )
}

function Shown({ deviceId, commandId }: { deviceId: string; commandId: string }) {
  const { data: command, error, refetch } = useQuery(commandQuery(deviceId, commandId))
  if (error instanceof ApiError && error.status === 404)
    return (
      <Text size="sm" c="dimmed">
        The device was deleted with its commands, or you don’t have access to it.
      </Text>
    )
  if (error && !command) return <LoadFailed error={error} onRetry={refetch} />
  if (!command) return <SkeletonLines count={3} />
  return (
    <>
      <CommandTitle command={command} />
      <Group justify="space-between">
        <Text size="sm" component="div">
          <CommandStatus command={command} />
        </Text>
        <ButtonLink
          to="/devices/$deviceId"
          params={{ deviceId }}
          search={{ tab: 'commands', command: commandId }}
          size="xs"
          variant="default"
        >
          Open command
        </ButtonLink>
      </Group>
      <OutputView command={command} isRunning={isRunning(command)} />
    </>
  )
}
