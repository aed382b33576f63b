import { Button } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { DeviceCommand } from '../../../shared/api/commands.ts'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { useDeviceCommands } from '../../domain/commands/use-device-commands.ts'
import { againOf } from './again.ts'

/** Asks as the first time; a script can be changed before. Absent where it cannot be done. */
export function RunAgain({ device, command }: { device: DeviceDetail; command: DeviceCommand }) {
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const { refresh, restart, shutDown, pending, ...reasons } = useDeviceCommands(device)
  const again = againOf(command, reasons)
  if (!again) return null
  const openScript = () => navigate({ search: (old) => ({ ...old, panel: 'script', again: command.id }) })
  const run = { script: openScript, reboot: restart, shutdown: shutDown, refresh_inventory: refresh }[again]
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={14} />}
      loading={pending !== undefined}
      onClick={run}
    >
      {again === 'reboot' || again === 'shutdown' ? 'Run again…' : 'Run again'}
    </Button>
  )
}
