import { Group, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { Role } from '../../data/roles.ts'
import { RoleLink } from '../../domain/roles/role-link.tsx'
import { holdersPage, rolePage } from '../../domain/roles/role-pages.ts'
import { count, dash, plural } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { TextLink } from '../../ui/links.tsx'
import { ownerName } from './owner-labels.ts'
import { RoleBadges } from './role-badges.tsx'
import { useRoleViewer } from './use-viewer.ts'

export function RoleTable({ roles }: { roles: readonly Role[] }) {
  const navigate = useNavigate()
  const viewer = useRoleViewer()
  const columns: Column<Role>[] = [
    { id: 'name', title: 'Name', maxWidth: 420, cell: (role) => <Name role={role} /> },
    { id: 'owner', title: 'For', cell: (role) => ownerName(role, viewer) },
    { id: 'parent', title: 'Inherits from', cell: (role) => <Parent role={role} /> },
    { id: 'people', title: 'People', cell: (role) => <Holders role={role} /> },
  ]
  return (
    <DataTable
      label="Roles"
      rows={roles}
      rowKey={({ id }) => id}
      columns={columns}
      minWidth={760}
      onOpen={(role) => navigate(rolePage(role))}
    />
  )
}

function Name({ role }: { role: Role }) {
  return (
    <>
      <Group gap="xs">
        <RoleLink role={role} isMain />
        <RoleBadges role={role} />
      </Group>
      {role.description && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {role.description}
        </Text>
      )}
    </>
  )
}

function Parent({ role }: { role: Role }) {
  const { parentRoleId, parentRoleName, childRoleCount } = role
  return (
    <>
      {parentRoleId && parentRoleName ? <RoleLink role={{ ...role, id: parentRoleId, name: parentRoleName }} /> : dash}
      {childRoleCount > 0 && (
        <SecondLine>{plural(childRoleCount, 'role inherits', 'roles inherit')} from it</SecondLine>
      )}
    </>
  )
}

function Holders({ role }: { role: Role }) {
  if (role.userCount === 0) return '0'
  return (
    <TextLink
      {...holdersPage(role)}
      size="sm"
      aria-label={`${plural(role.userCount, 'person', 'people')} with the role ${role.name}`}
    >
      {count(role.userCount)}
    </TextLink>
  )
}
