import { useMutation } from '@tanstack/react-query'
import type { ListedDevice } from '../../../../shared/api/devices.ts'
import { commandDevices } from '../../../data/several-devices.ts'
import { plural } from '../../../lib/format.ts'
import { ConfirmForm } from '../../../ui/confirm-form.tsx'
import { acceptsCommands, isReachable } from './commandable.ts'
import { devicesAre, devicesAreNot, devicesText, idsOf, outcomeOf, type SeveralFormProps } from './outcome.ts'

interface Words {
  /** What the devices do, with `s` for a single one. */
  verb: string
  rest?: string
  /** How long a device that is away may take to come back. */
  wait: string
  loss?: string
  confirm: (devices: string) => string
  done: string
}

const words = {
  reboot: {
    verb: 'restart',
    wait: 'a day',
    loss: 'Unsaved work will be lost.',
    confirm: (devices) => `Restart ${devices}`,
    done: 'Restart requested',
  },
  shutdown: {
    verb: 'shut',
    rest: ' down',
    wait: 'an hour',
    loss: 'Unsaved work will be lost, and someone has to turn the devices on again.',
    confirm: (devices) => `Shut down ${devices}`,
    done: 'Shutdown requested',
  },
  refresh_inventory: {
    verb: 'report',
    rest: ' hardware and software',
    wait: 'a day',
    confirm: () => 'Refresh inventory',
    done: 'Inventory requested',
  },
} satisfies Record<string, Words>

type CommandType = keyof typeof words

export const RestartForm = (props: SeveralFormProps) => <CommandForm {...props} type="reboot" />
export const ShutDownForm = (props: SeveralFormProps) => <CommandForm {...props} type="shutdown" />
export const RefreshForm = (props: SeveralFormProps) => <CommandForm {...props} type="refresh_inventory" />

function CommandForm({ devices, type, onDone, onCancel }: SeveralFormProps & { type: CommandType }) {
  const { confirm, done, loss }: Words = words[type]
  const send = useMutation({
    ...commandDevices,
    onSuccess: ({ commands, ...refused }) => {
      onDone(outcomeOf(commands.length, done, `${done} for ${plural(commands.length, 'device')}.`, refused))
      return commandDevices.onSuccess()
    },
  })
  return (
    <ConfirmForm
      consequences={[...consequencesOf(devices, words[type]), ...(loss ? [loss] : [])]}
      confirm={confirm(devicesText(devices))}
      isHarmless={!loss}
      isPending={send.isPending}
      error={send.error}
      onConfirm={() => send.mutate({ deviceIds: idsOf(devices), type })}
      onCancel={onCancel}
    />
  )
}

/** What happens to how many of them. */
function consequencesOf(devices: readonly ListedDevice[], { verb, rest = '', wait }: Words): string[] {
  const able = devices.filter(acceptsCommands)
  const now = able.filter(isReachable).length
  const later = able.length - now
  const unable = devices.length - able.length
  const does = (amount: number) => `${verb}${amount === 1 ? 's' : ''}${rest}`
  const they = later === 1 ? 'it’s' : 'they’re'
  return [
    ...(now > 0 ? [`${devicesAre(now)} online and ${does(now)} immediately.`] : []),
    ...(later > 0
      ? [`${devicesAreNot(later)} online and ${does(later)} when ${they} back, if that’s within ${wait}.`]
      : []),
    ...(unable > 0 ? [`${devicesAre(unable)} decommissioned or waiting for approval and will be left out.`] : []),
  ]
}
