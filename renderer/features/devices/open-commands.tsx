import { useQuery } from '@tanstack/react-query'
import { openCommandsQuery } from '../../data/commands.ts'
import { openCommandText } from '../../domain/commands/command-labels.ts'
import { plural } from '../../lib/format.ts'
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
