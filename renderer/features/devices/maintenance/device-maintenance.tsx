import { modals } from '@mantine/modals'
import type { DeviceDetail } from '../../../../shared/api/devices.ts'
import { maintainDevice } from '../../../data/devices.ts'
import { deviceName } from '../../../domain/devices/device-labels.ts'
import { notifyDone } from '../../../lib/notify.ts'
import { MaintenanceForm } from './maintenance-form.tsx'

const modalId = 'maintenance'

/** The server refuses it for devices whose agent does not report. */
export const takesMaintenance = ({ status }: Pick<DeviceDetail, 'status'>): boolean =>
  status !== 'decommissioned' && status !== 'quarantined' && status !== 'pending'

export function openMaintenance(device: DeviceDetail): void {
  const name = deviceName(device)
  const { mutationFn, onSuccess } = maintainDevice(device.id)
  modals.open({
    modalId,
    title: `Maintenance for ${name}`,
    children: (
      <MaintenanceForm
        isUnderWay={device.status === 'maintenance'}
        save={mutationFn}
        onSaved={(_, isBegun) => {
          modals.close(modalId)
          notifyDone(isBegun ? `Maintenance began on ${name}` : `Maintenance ended on ${name}`)
          return onSuccess()
        }}
      />
    ),
  })
}
