import { useMutation } from '@tanstack/react-query'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import type { Permission } from '../../../shared/permissions.ts'
import { queueCommandMutation } from '../../data/commands.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { deviceName } from '../devices/device-labels.ts'

/** What may be sent to a device, and how it is asked for; `mayNot…` say why something is not offered. */
export function useDeviceCommands(device: DeviceDetail) {
  const order = useMutation(queueCommandMutation(device.id))
  const mayNotRun = useReason(device, 'devices:execute')
  const mayNotScript = useReason(device, 'scripts:execute')
  const name = deviceName(device)
  const when = device.status === 'online' ? 'immediately' : 'as soon as it’s back online, if that’s within a day'

  const refresh = () =>
    order.mutate('refresh_inventory', {
      onSuccess: () => notifyDone(device.status === 'online' ? 'Inventory requested' : 'Waiting for the device'),
      onError: notifyFailed('The inventory wasn’t refreshed'),
    })
  const restart = async () => {
    const isOrdered = await askToConfirm({
      title: `Restart ${name}?`,
      consequences: `${name} restarts ${when}. Unsaved work will be lost.`,
      confirm: `Restart ${name}`,
      run: () => order.mutateAsync('reboot'),
      failed: `${name} wasn’t restarted`,
    })
    if (isOrdered) notifyDone(`Restart requested for ${name}`)
  }
  const shutDown = async () => {
    const isOrdered = await askToConfirm({
      title: `Shut down ${name}?`,
      consequences: `${name} turns off ${when}, and can’t be turned on from here. Unsaved work will be lost.`,
      confirm: `Shut down ${name}`,
      run: () => order.mutateAsync('shutdown'),
      failed: `${name} wasn’t shut down`,
    })
    if (isOrdered) notifyDone(`Shutdown requested for ${name}`)
  }
  const pending = order.isPending ? order.variables : undefined
  return { mayNotRun, mayNotScript, refresh, restart, shutDown, pending }
}

function useReason(device: DeviceDetail, permission: Permission): string | null {
  const me = useMe()
  if (device.status === 'decommissioned') return 'The device is decommissioned'
  if (device.status === 'quarantined') return 'The device is waiting for approval'
  if (!can(me, permission)) return 'Your role doesn’t allow this'
  return null
}
