import { Group, Table, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { Role } from '../../data/roles.ts'
import { RoleLink } from '../../domain/roles/role-link.tsx'
import { holdersPage, rolePage } from '../../domain/roles/role-pages.ts'
import { count, dash, plural } from '../../lib/format.ts'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import { useRowKeys } from '../../ui/data-table/use-row-keys.ts'
import { TextLink } from '../../ui/links.tsx'
import { ownerName } from './owner-labels.ts'
import { RoleBadges } from './role-badges.tsx'
import { useRoleViewer } from './use-viewer.ts'

export function RoleTable({ roles }: { roles: readonly Role[] }) {
  const body = useRowKeys<HTMLTableSectionElement>()
  const navigate = useNavigate()
  return (
    <TableFrame label="Roles">
      <Table tabularNums miw={{ sm: 760 }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>For people of</Table.Th>
            <Table.Th>Inherits from</Table.Th>
            <Table.Th>People</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody {...body}>
          {roles.map((role) => (
            <Table.Tr key={role.id} data-clickable onClick={() => navigate(rolePage(role))}>
              <Cells role={role} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}

function Cells({ role }: { role: Role }) {
  const reader = useRoleViewer()
  return (
    <>
      <Table.Td maw={420}>
        <Group gap="xs">
          <RoleLink role={role} isMain />
          <RoleBadges role={role} />
        </Group>
        {role.description && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {role.description}
          </Text>
        )}
      </Table.Td>
      <Table.Td data-label="For people of">{ownerName(role, reader)}</Table.Td>
      <Table.Td data-label="Inherits from">
        {role.parentRoleId && role.parentRoleName ? (
          <RoleLink role={{ ...role, id: role.parentRoleId, name: role.parentRoleName }} />
        ) : (
          dash
        )}
        {role.childRoleCount > 0 && (
          <Text size="xs" c="dimmed">
            {plural(role.childRoleCount, 'role inherits', 'roles inherit')} from it
          </Text>
        )}
      </Table.Td>
      <Table.Td data-label="People">
        {role.userCount > 0 ? (
          <TextLink
            {...holdersPage(role)}
            size="sm"
            aria-label={`${plural(role.userCount, 'person', 'people')} with the role ${role.name}`}
            onClick={(event) => event.stopPropagation()}
          >
            {count(role.userCount)}
          </TextLink>
        ) : (
          '0'
        )}
      </Table.Td>
    </>
  )
}
