import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { DeviceGroup, GroupMember } from '../../../shared/api/device-groups.ts'
import { deviceName, osNames } from '../../domain/devices/device-labels.ts'
import { DeviceLink } from '../../domain/devices/device-link.tsx'
import { DeviceStatusDot } from '../../domain/devices/device-status.tsx'
import { count } from '../../lib/format.ts'
import { buttonColumn, type Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SelectionBar } from '../../ui/data-table/selection-bar.tsx'
import { useSelected, useSelection } from '../../ui/data-table/use-selection.tsx'
import { originNames } from './group-labels.ts'
import { MemberAction, SelectedMembersActions } from './member-actions.tsx'

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
  const rows = found.slice(0, maxListed)
  const selection = useSelection({ rows, keyOf, nameOf: deviceName })
  const { selected, clear } = useSelected(selection)
  return (
    <>
      {members.length > 10 && (
        <TextInput
          aria-label="Search devices in this group"
          placeholder="Search devices in this group"
          maw={320}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <DataTable
        label="Devices in this group"
        rows={rows}
        rowKey={keyOf}
        columns={mayWrite ? [selection.column, ...columns, action] : columns}
        minWidth={560}
      />
      {(found.length > maxListed || search) && (
        <Text size="sm" c="dimmed" role="status">
          {found.length > maxListed
            ? `The first ${count(maxListed)} of ${count(found.length)}. Search by name, or open the device list.`
            : `${count(found.length)} of ${count(members.length)} match`}
        </Text>
      )}
      <SelectionBar selected={selected.length} onClear={clear}>
        <SelectedMembersActions group={group} members={selected} />
      </SelectionBar>
    </>
  )
}

const keyOf = ({ deviceId }: GroupMember) => deviceId

const columns: Column<GroupMember>[] = [
  { id: 'name', title: 'Name', cell: (member) => <DeviceLink device={member} /> },
  { id: 'status', title: 'Status', cell: ({ status }) => <DeviceStatusDot status={status} /> },
  { id: 'system', title: 'System', cell: ({ osType }) => osNames[osType] },
  { id: 'origin', title: 'Membership', cell: originNames },
]
