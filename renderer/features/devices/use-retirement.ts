import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { countSnapshots, deleteBackups } from '../../data/backup-snapshots.ts'
import { decommissionDeviceMutation, deleteDevice, restoreDeviceMutation } from '../../data/devices.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { plural } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { askToConfirm } from '../../ui/confirm.tsx'

/** Takes a device out of service and back, or deletes it. Each asks first. */
export function useRetirement(device: DeviceDetail) {
  const navigate = useNavigate()
  const name = deviceName(device)
  const decommission = useMutation(decommissionDeviceMutation(device.id))
  const restore = useMutation(restoreDeviceMutation(device.id))
  const remove = useMutation(deleteDevice(device.id))
  const removeBackups = useMutation(deleteBackups(device.id))
  const maySeeBackups = can(useMe(), 'backup:read')

  const askToDecommission = async () => {
    const isDone = await askToConfirm({
      title: `Decommission ${name}?`,
      consequences: `The agent on ${name} loses access immediately, and waiting commands are canceled. The record stays, and the device can be restored.`,
      confirm: `Decommission ${name}`,
      run: () => decommission.mutateAsync(),
      failed: `${name} wasn’t decommissioned`,
    })
    if (isDone) notifyDone(`${name} was decommissioned`)
  }
  const askToRestore = async () => {
    const isDone = await askToConfirm({
      title: `Restore ${name}?`,
      consequences: [
        ...(device.quarantinedAt ? [`${name} was waiting for approval. Restoring approves it.`] : []),
        `Its agent gets access again. ${name} comes online when its agent reports.`,
      ],
      confirm: device.quarantinedAt ? `Approve and restore ${name}` : `Restore ${name}`,
      isHarmless: device.quarantinedAt === null,
      run: () => restore.mutateAsync(),
      failed: `${name} wasn’t restored`,
    })
    if (isDone) notifyDone(`${name} was restored`)
  }
  const askToDelete = async () => {
    const backups = maySeeBackups ? await countSnapshots(device) : 0
    const isDeleted = await askToConfirm({
      title: `Delete ${name} permanently?`,
      consequences: [
        `Everything recorded about ${name} is erased: inventory, metrics and command history. This can’t be undone.`,
        ...(backups > 0 ? [`Its backups are deleted too: ${plural(backups, 'snapshot')}.`] : []),
      ],
      ...(backups > 0 && { typedName: name }),
      confirm: `Delete ${name} permanently`,
      run: async () => {
        if (backups > 0) await removeBackups.mutateAsync()
        await remove.mutateAsync()
      },
      failed: `${name} wasn’t deleted`,
    })
    if (!isDeleted) return
    notifyDone(`${name} was deleted`)
    void navigate({ to: '/devices' })
  }
  return { askToDecommission, askToRestore, askToDelete }
}
