import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { DeviceCommand } from '../../../shared/api/commands.ts'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { queueCommandMutation } from '../../data/commands.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { deviceName } from '../devices/device-labels.ts'
import { notifyRequested } from './notify-requested.tsx'
import { useUnavailableReason } from './use-unavailable-reason.ts'

/** What may be sent to a device, and how it is asked for; `mayNot…` say why something is not offered. */
export function useDeviceCommands(device: DeviceDetail) {
  const router = useRouter()
  const order = useMutation(queueCommandMutation(device.id))
  const mayNotRun = useUnavailableReason(device, 'devices:execute')
  const mayNotScript = useUnavailableReason(device, 'scripts:execute')
  const name = deviceName(device)
  const when = (wait: string) =>
    device.status === 'online' ? 'immediately' : `as soon as it’s back online, if that’s within ${wait}`
  const requested = (what: string) => (command: DeviceCommand) =>
    notifyRequested(router, command, `${what} requested for ${name}`)

  const refresh = () =>
    order.mutate('refresh_inventory', {
      onSuccess: requested('Inventory'),
      onError: notifyFailed('The inventory wasn’t refreshed'),
    })
  const restart = () =>
    askToConfirm({
      title: `Restart ${name}?`,
      consequences: `${name} restarts ${when('a day')}. Unsaved work will be lost.`,
      confirm: `Restart ${name}`,
      run: () => order.mutateAsync('reboot').then(requested('Restart')),
      failed: `${name} wasn’t restarted`,
    })
  const shutDown = () =>
    askToConfirm({
      title: `Shut down ${name}?`,
      consequences: `${name} turns off ${when('an hour')}, and can’t be turned on from here. Unsaved work will be lost.`,
      confirm: `Shut down ${name}`,
      run: () => order.mutateAsync('shutdown').then(requested('Shutdown')),
      failed: `${name} wasn’t shut down`,
    })
  const pending = order.isPending ? order.variables : undefined
  return { mayNotRun, mayNotScript, refresh, restart, shutDown, pending }
}
