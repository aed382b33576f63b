import { useQuery } from '@tanstack/react-query'
import { attentionHours } from '../../../shared/api/devices.ts'
import { commandsQuery, openCommandsQuery } from '../../data/commands.ts'
import { failedCommandText, openCommandText } from '../../domain/commands/command-labels.ts'
import { plural } from '../../lib/format.ts'
import { hourMs, useNow } from '../../lib/now.ts'
import { TextLink } from '../../ui/links.tsx'

/** Beside the name of a device: what it has been asked to do and has not done yet. */
export function OpenCommands({ deviceId }: { deviceId: string }) {
  const [newest, ...others] = useQuery(openCommandsQuery(deviceId)).data ?? []
  if (!newest) return null
  const isOne = others.length === 0
  return (
    <TextLink
      to="/devices/$deviceId"
      params={{ deviceId }}
      search={{ tab: 'commands', command: isOne ? newest.id : undefined }}
      size="sm"
    >
      {isOne ? openCommandText(newest) : `${plural(others.length + 1, 'command')} waiting…`}
    </TextLink>
  )
}

/** The newest command that failed so lately that the device needs attention for it: a link to the reason. */
export function FailedCommand({ deviceId }: { deviceId: string }) {
  const commands = useQuery(commandsQuery(deviceId, 1)).data?.data
  const since = useNow() - attentionHours * hourMs
  const newest = commands?.find(
    ({ status, completedAt }) => status === 'failed' && completedAt && Date.parse(completedAt) >= since,
  )
  if (!newest) return null
  return (
    <TextLink
      to="/devices/$deviceId"
      params={{ deviceId }}
      search={{ tab: 'commands', command: newest.id }}
      size="sm"
      c="var(--mantine-color-error)"
    >
      {failedCommandText(newest)}
    </TextLink>
  )
}
