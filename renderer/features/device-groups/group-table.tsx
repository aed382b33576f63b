import { Table, VisuallyHidden } from '@mantine/core'
import type { DeviceGroup } from '../../../shared/api/device-groups.ts'
import { count, plural } from '../../lib/format.ts'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import { useRowKeys } from '../../ui/data-table/use-row-keys.ts'
import { TextLink } from '../../ui/links.tsx'
import { groupTypeNames } from './group-labels.ts'
import { GroupMenu } from './group-menu.tsx'
import { groupsInTreeOrder } from './group-tree.ts'
import type { NamedOption } from './value-field.tsx'

interface Props {
  groups: readonly DeviceGroup[]
  sites: readonly NamedOption[]
  onEdit: ((id: string) => void) | undefined
}

/** Groups indented below their parents. */
export function GroupTable({ groups, sites, onEdit }: Props) {
  const body = useRowKeys<HTMLTableSectionElement>()
  const nameOf = (things: readonly NamedOption[], id: string | null) => things.find((one) => one.id === id)?.name
  return (
    <TableFrame label="Device groups">
      <Table tabularNums miw={{ sm: 560 }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Devices come</Table.Th>
            <Table.Th>Where</Table.Th>
            <Table.Th ta="right">Devices</Table.Th>
            {onEdit && (
              <Table.Th w={50}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody {...body}>
          {groupsInTreeOrder(groups).map(({ group, depth }) => {
            const parent = nameOf(groups, group.parentId)
            return (
              <Table.Tr key={group.id}>
                <Table.Td pl={{ sm: `calc(var(--mantine-spacing-md) + ${depth * 1.4}rem)` }}>
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
                </Table.Td>
                <Table.Td data-label="Devices come">{groupTypeNames[group.type]}</Table.Td>
                <Table.Td data-label="Where">
                  {group.siteId ? (nameOf(sites, group.siteId) ?? 'One site') : 'Whole organization'}
                </Table.Td>
                {parent && (
                  <Table.Td data-label="Inside" hiddenFrom="sm">
                    {parent}
                  </Table.Td>
                )}
                <Table.Td data-label="Devices" ta={{ sm: 'right' }}>
                  <TextLink
                    from="/organizations/$orgId"
                    to="."
                    search={{ tab: 'devices', group: group.id }}
                    size="sm"
                    aria-label={`${plural(group.deviceCount, 'device')} in ${group.name}`}
                  >
                    {count(group.deviceCount)}
                  </TextLink>
                </Table.Td>
                {onEdit && (
                  <Table.Td data-corner>
                    <GroupMenu group={group} groups={groups} onEdit={() => onEdit(group.id)} />
                  </Table.Td>
                )}
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}
