import { useNavigate, useSearch } from '@tanstack/react-router'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { CommandsTab } from '../../features/commands/commands-tab.tsx'
import { ScriptDrawer } from '../../features/commands/script-drawer.tsx'
import { DevicePage as DeviceDetails } from '../../features/devices/device-page.tsx'

export function DevicePage() {
  return (
    <DeviceDetails
      commandsTab={(device) => <CommandsTab device={device} />}
      scriptDrawer={(device) => <DeviceScriptDrawer device={device} />}
    />
  )
}

function DeviceScriptDrawer({ device }: { device: DeviceDetail }) {
  const { panel, again } = useSearch({ from: '/app/devices/$deviceId' })
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  return (
    <ScriptDrawer
      device={device}
      isOpen={panel === 'script'}
      template={again}
      onClose={() => navigate({ search: (old) => ({ ...old, panel: undefined, again: undefined }) })}
    />
  )
}
