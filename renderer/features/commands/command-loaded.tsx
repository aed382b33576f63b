import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { commandQuery } from '../../data/commands.ts'
import type { CommandWithOutput } from '../../data/live-rows.ts'
import { ApiError } from '../../lib/api-error.ts'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'

interface Props {
  deviceId: string
  commandId: string
  children: (command: CommandWithOutput) => ReactNode
}

/** One command with its output, once it is loaded. */
export function CommandLoaded({ deviceId, commandId, children }: Props) {
  const { data: command, error, refetch } = useQuery(commandQuery(deviceId, commandId))
  if (command) return children(command)
  if (error instanceof ApiError && error.status === 404)
    return (
      <Text size="sm" c="dimmed">
        This device has no such command. The link may be of another device.
      </Text>
    )
  if (error) return <LoadFailed error={error} onRetry={refetch} />
  return <SkeletonLines count={3} />
}
