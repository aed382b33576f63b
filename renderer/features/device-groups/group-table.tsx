import { Box, VisuallyHidden } from '@mantine/core'
import type { DeviceGroup } from '../../../shared/api/device-groups.ts'
import { DeviceCountLink } from '../../domain/devices/device-count-link.tsx'
import { type Column, menuColumn } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { TextLink } from '../../ui/links.tsx'
import { groupTypeNames } from './group-labels.ts'
import { GroupMenu } from './group-menu.tsx'
import { type GroupInTree, groupsInTreeOrder } from './group-tree.ts'
import type { NamedOption } from './value-field.tsx'

interface Props {
  groups: readonly DeviceGroup[]
  sites: readonly NamedOption[]
  onEdit: ((id: string) => void) | undefined
}

type Row = GroupInTree<DeviceGroup>

/** Groups indented below their parents. */
export function GroupTable({ groups, sites, onEdit }: Props) {
  const nameOf = (things: readonly NamedOption[], id: string | null) => things.find((one) => one.id === id)?.name
  const parentOf = ({ group }: Row) => nameOf(groups, group.parentId)
  const menu =
    onEdit &&
    menuColumn(({ group }: Row) => <GroupMenu group={group} groups={groups} onEdit={() => onEdit(group.id)} />)
  const columns: Column<Row>[] = [
    { id: 'name', title: 'Name', cell: (row) => <Name {...row} parent={parentOf(row)} /> },
    { id: 'type', title: 'Membership', cell: ({ group }) => groupTypeNames[group.type] },
    {
      id: 'where',
      title: 'Site',
      cell: ({ group: { siteId } }) => (siteId ? (nameOf(sites, siteId) ?? 'One site') : 'Whole organization'),
    },
    { id: 'parent', title: 'Inside', only: 'narrow', cell: parentOf },
    {
      id: 'devices',
      title: 'Devices',
      align: 'right',
      cell: ({ group }) => (
        <DeviceCountLink devices={group.deviceCount} where={`in ${group.name}`} filter={{ group: group.id }} />
      ),
    },
    ...(menu ? [menu] : []),
  ]
  return (
    <DataTable
      label="Device groups"
      rows={groupsInTreeOrder(groups)}
      rowKey={({ group }) => group.id}
      columns={columns}
      minWidth={560}
    />
  )
}

function Name({ group, depth, parent }: Row & { parent: string | undefined }) {
  return (
    <Box component="span" pl={{ sm: `${depth * 1.4}rem` }}>
      <TextLink
        from="/organizations/$orgId"
        to="."
        search={{ tab: 'groups', group: group.id }}
        data-main
        fw={500}
        c="inherit"
        size="sm"
      >
        {group.name}
      </TextLink>
      {parent && <VisuallyHidden>, inside {parent}</VisuallyHidden>}
    </Box>
  )
}
