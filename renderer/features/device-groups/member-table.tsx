import { Button, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeviceGroup, GroupMember } from '../../../shared/api/device-groups.ts'
import { pinGroupDevices, removeGroupDeviceMutation, unpinGroupDeviceMutation } from '../../data/device-groups.ts'
import { deviceName, osNames } from '../../domain/devices/device-labels.ts'
import { DeviceLink } from '../../domain/devices/device-link.tsx'
import { DeviceStatusDot } from '../../domain/devices/device-status.tsx'
import { count } from '../../lib/format.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { buttonColumn, type Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { originNames } from './group-labels.ts'

interface Props {
  group: DeviceGroup
  members: readonly GroupMember[]
  mayWrite: boolean
}

/** Larger groups are shown in the device list, which has pages. */
const maxListed = 100

export function MemberTable({ group, members, mayWrite }: Props) {
  const [text, setText] = useState('')
  const action = buttonColumn((member: GroupMember) => <MemberAction group={group} member={member} />)
  const search = text.trim().toLowerCase()
  const found = members.filter((one) => `${one.hostname}\n${one.displayName ?? ''}`.toLowerCase().includes(search))
  return (
    <>
      {members.length > 10 && (
        <TextInput
          aria-label="Search the devices of the group"
          placeholder="Search the devices of the group"
          maw={320}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <DataTable
        label="Devices of the group"
        rows={found.slice(0, maxListed)}
        rowKey={({ deviceId }) => deviceId}
        columns={mayWrite ? [...columns, action] : columns}
        minWidth={560}
      />
      {(found.length > maxListed || search) && (
        <Text size="sm" c="dimmed" role="status">
          {found.length > maxListed
            ? `The first ${count(maxListed)} of ${count(found.length)}. Search by name, or show them in the device list.`
            : `${count(found.length)} of ${count(members.length)} match`}
        </Text>
      )}
    </>
  )
}

const columns: Column<GroupMember>[] = [
  { id: 'name', title: 'Name', cell: (member) => <DeviceLink device={member} /> },
  { id: 'status', title: 'Status', cell: ({ status }) => <DeviceStatusDot status={status} /> },
  { id: 'system', title: 'System', cell: ({ osType }) => osNames[osType] },
  { id: 'origin', title: 'In the group', cell: originNames },
]

/** Devices added by the rule cannot be removed by hand; others can. */
function MemberAction({ group, member }: { group: DeviceGroup; member: GroupMember }) {
  const pin = useMutation(pinGroupDevices(group.id))
  const unpin = useMutation(unpinGroupDeviceMutation(group.id))
  const remove = useMutation(removeGroupDeviceMutation(group.id))
  const name = deviceName(member)
  const onError = notifyFailed('The group was not changed')
  const { deviceId } = member
  if (group.type === 'static')
    return (
      <Action
        label={`Remove ${name} from the group`}
        isPending={remove.isPending}
        onClick={() => remove.mutate(deviceId, { onError })}
      >
        Remove
      </Action>
    )
  if (member.isPinned)
    return (
      <Action label={`Unpin ${name}`} isPending={unpin.isPending} onClick={() => unpin.mutate(deviceId, { onError })}>
        Unpin
      </Action>
    )
  return (
    <Action label={`Pin ${name}`} isPending={pin.isPending} onClick={() => pin.mutate([deviceId], { onError })}>
      Pin
    </Action>
  )
}

interface ActionProps {
  label: string
  isPending: boolean
  onClick: () => void
  children: string
}

function Action({ label, isPending, onClick, children }: ActionProps) {
  return (
    <Button variant="subtle" color="gray" size="compact-xs" aria-label={label} loading={isPending} onClick={onClick}>
      {children}
    </Button>
  )
}
