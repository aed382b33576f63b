import { Group, Text } from '@mantine/core'
import type { DeviceCommand } from '../../../shared/api/commands.ts'
import { isRunning } from '../../data/commands.ts'
import { StatusDot } from '../../ui/status-dot.tsx'
import { commandStatusLabels } from './command-labels.ts'

/** Status, with the exit code if there is one. */
export function CommandStatus({ command }: { command: Pick<DeviceCommand, 'status' | 'result'> }) {
  const { word, tone } = commandStatusLabels[command.status]
  const exitCode = command.result?.exitCode
  return (
    <Group gap={8} wrap="nowrap" component="span" display="inline-flex">
      <StatusDot tone={tone} isPulsing={isRunning(command)}>
        {word}
      </StatusDot>
      {typeof exitCode === 'number' && (
        <Text span size="xs" c="dimmed" className="nums" style={{ whiteSpace: 'nowrap' }}>
          exit code {exitCode}
        </Text>
      )}
    </Group>
  )
}
