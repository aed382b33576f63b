import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { ChecksPanel } from '../../domain/backup-verification/checks-panel.tsx'
import { useUnavailableReason } from '../../domain/commands/use-unavailable-reason.ts'
import { ReadingProgress } from './reading-progress.tsx'

/** Whether the backups of a device were proven. */
export function DeviceChecks({ device }: { device: DeviceDetail }) {
  const mayNot = useUnavailableReason(device, 'devices:execute')
  return (
    <ChecksPanel
      orgId={device.orgId}
      deviceId={device.id}
      mayNot={mayNot}
      about={<ReadingProgress deviceId={device.id} />}
    />
  )
}
