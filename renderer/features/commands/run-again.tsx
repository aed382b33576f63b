import { Button } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { DeviceCommand } from '../../../shared/api/commands.ts'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { scriptOf } from '../../domain/commands/command-labels.ts'
import { useDeviceCommands } from '../../domain/commands/use-device-commands.ts'

/** Asks as the first time; a script can be changed before. Absent where it cannot be done. */
export function RunAgain({ device, command }: { device: DeviceDetail; command: DeviceCommand }) {
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const { mayNotRun, mayNotScript, refresh, reboot, shutDown, pending } = useDeviceCommands(device)
  const openScript = () => navigate({ search: (old) => ({ ...old, panel: 'script', again: command.id }) })
  const orders: Record<string, () => unknown> = { reboot, shutdown: shutDown, refresh_inventory: refresh }
  const run = scriptOf(command) === null ? !mayNotRun && orders[command.type] : !mayNotScript && openScript
  if (!run) return null
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={14} />}
      loading={pending !== undefined}
      onClick={run}
    >
      {run === openScript || run === refresh ? 'Run again' : 'Run again…'}
    </Button>
  )
}
