import { Button } from '@mantine/core'
import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import type { DeviceGroup, GroupMember } from '../../../shared/api/device-groups.ts'
import { pinGroupDevices, removeGroupDevices, unpinGroupDevices } from '../../data/device-groups.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { plural } from '../../lib/format.ts'
import { notifyFailed } from '../../lib/notify.ts'

/** What can be done with a member: devices added by the rule cannot be removed by hand, others can. */
function useMemberChanges(group: DeviceGroup) {
  return {
    remove: useMutation(removeGroupDevices(group.id)),
    pin: useMutation(pinGroupDevices(group.id)),
    unpin: useMutation(unpinGroupDevices(group.id)),
  }
}

const verbOf = (group: DeviceGroup, { isPinned }: GroupMember) =>
  group.type === 'static' ? 'remove' : isPinned ? 'unpin' : 'pin'

const labels = { remove: 'Remove', pin: 'Pin', unpin: 'Unpin' }

/** The button in the row of a member. */
export function MemberAction({ group, member }: { group: DeviceGroup; member: GroupMember }) {
  const changes = useMemberChanges(group)
  const verb = verbOf(group, member)
  const name = deviceName(member)
  return (
    <Change
      change={changes[verb]}
      members={[member]}
      label={verb === 'remove' ? `Remove ${name} from the group` : `${labels[verb]} ${name}`}
    >
      {labels[verb]}
    </Change>
  )
}

/** The buttons for several members; each is about those it can be done with. */
export function SelectedMembersActions({ group, members }: { group: DeviceGroup; members: readonly GroupMember[] }) {
  const changes = useMemberChanges(group)
  const byVerb = Map.groupBy(members, (member) => verbOf(group, member))
  return [...byVerb].map(([verb, those]) => (
    <Change key={verb} change={changes[verb]} members={those}>
      {`${labels[verb]} ${plural(those.length, 'device')}`}
    </Change>
  ))
}

interface ChangeProps {
  change: UseMutationResult<void, Error, string[]>
  members: readonly GroupMember[]
  /** Accessible name, if it says more than the text. */
  label?: string
  children: string
}

function Change({ change, members, label, children }: ChangeProps) {
  const ids = members.map(({ deviceId }) => deviceId)
  return (
    <Button
      variant={label ? 'subtle' : 'default'}
      color="gray"
      size={label ? 'compact-xs' : 'xs'}
      aria-label={label}
      loading={change.isPending}
      onClick={() => change.mutate(ids, { onError: notifyFailed('The group wasn’t changed') })}
    >
      {children}
    </Button>
  )
}
