import { useNavigate, useSearch } from '@tanstack/react-router'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { DeviceBackupTab } from '../../features/backup-jobs/device-backup-tab.tsx'
import { DeviceProtection } from '../../features/backup-protection/device-protection.tsx'
import { DeviceReadiness } from '../../features/backup-readiness/device-readiness.tsx'
import { DeviceRestores } from '../../features/backup-restores/device-restores.tsx'
import { DeviceSecondCopies } from '../../features/backup-vaults/device-second-copies.tsx'
import { DeviceChecks } from '../../features/backup-verification/device-checks.tsx'
import { CommandsTab } from '../../features/commands/commands-tab.tsx'
import { ScriptDrawer } from '../../features/commands/script-drawer.tsx'
import { DevicePage as DeviceDetails } from '../../features/devices/device-page.tsx'
import { DeviceUnusualChanges } from '../../features/unusual-changes/device-unusual-changes.tsx'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'

export function DevicePage() {
  const me = useMe()
  const maySeeBackups = can(me, 'backup:read') || can(me, 'organizations:read')
  return (
    <DeviceDetails
      commandsTab={(device) => <CommandsTab device={device} />}
      backupTab={
        maySeeBackups
          ? (device) => (
              <DeviceBackupTab
                device={device}
                unusualChanges={<DeviceUnusualChanges device={device} />}
                protection={<DeviceProtection device={device} />}
                readiness={<DeviceReadiness device={device} />}
                checks={<DeviceChecks device={device} />}
                secondCopies={<DeviceSecondCopies device={device} />}
                restores={<DeviceRestores device={device} />}
              />
            )
          : null
      }
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
