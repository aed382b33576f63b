import { Alert, List, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { assignableRoleIdsQuery, effectivePermissionsQuery } from '../../data/roles.ts'
import {
  type EffectivePermissions,
  everythingNotInheritable,
  grantsEverything,
  type PermissionDifference,
  permissionDifference,
  type RolePermissions,
  rolePermissions,
} from '../../domain/roles/effective-permissions.ts'
import { summarizePermissions } from '../../domain/roles/permission-labels.ts'
import { plural } from '../../lib/format.ts'
import { renderOptionDescription } from '../../ui/option-description.tsx'
import { roleAndDescendants, rolesOfSameOwner } from './filter-roles.ts'
import { fieldsOf, withFields } from './role-draft.ts'
import type { RoleTabProps } from './role-tab-props.ts'

interface Props extends RoleTabProps {
  /** Permissions of the chosen parent, and of this role below it; undefined while loading. */
  parent: EffectivePermissions | undefined
  powers: RolePermissions | undefined
}

/** Selects the role to inherit from, and shows what would change. */
export function ParentField({ role, roles, draft, isClosed, onChange, parent, powers }: Props) {
  const { parentRoleId } = fieldsOf(role, draft)
  const withinOwn = useQuery(assignableRoleIdsQuery(role)).data
  const own = roleAndDescendants(roles, role.id)
  const others = rolesOfSameOwner(roles, role).filter(({ id }) => !own.has(id))
  const isRefused = (id: string) => id !== role.parentRoleId && withinOwn?.has(id) === false
  const aboutOf = new Map(others.map(({ id, description }) => [id, isRefused(id) ? tooMuch : description]))
  const isMoved = parentRoleId !== role.parentRoleId
  const isImpossible = isMoved && parent !== undefined && grantsEverything(parent.permissions)
  return (
    <Stack gap="xs" data-read-only={isClosed || undefined}>
      <Select
        label="Inherits from"
        description="Always includes that role’s permissions, plus the ones selected below."
        maw={480}
        searchable
        allowDeselect={false}
        readOnly={isClosed}
        data={[
          { value: '', label: 'None' },
          ...others.map(({ id, name }) => ({ value: id, label: name, disabled: isRefused(id) })),
        ]}
        renderOption={renderOptionDescription((id) => aboutOf.get(id))}
        value={parentRoleId ?? ''}
        error={isImpossible && everythingNotInheritable}
        onChange={(id) => onChange(withFields(draft, { parentRoleId: id || null }))}
      />
      {isMoved && !isImpossible && <NewParent role={role} powers={powers} />}
    </Stack>
  )
}

const tooMuch = 'This role has permissions yours doesn’t, so you can’t inherit from it.'

interface NewParentProps {
  role: RoleTabProps['role']
  /** Undefined while loading. */
  powers: RolePermissions | undefined
}

function NewParent({ role, powers }: NewParentProps) {
  const saved = useQuery(effectivePermissionsQuery(role)).data
  if (!saved || !powers) return null
  return (
    <Alert variant="light" p="sm" title="After saving" role="status">
      <EffectList effect={permissionDifference(rolePermissions(saved), powers)} />
      <Text size="sm">{affectedText(role)}</Text>
    </Alert>
  )
}

function affectedText({ userCount, childRoleCount }: RoleTabProps['role']): string {
  const concerned = [
    userCount > 0 && `${plural(userCount, 'person', 'people')} with this role`,
    childRoleCount > 0 && `${plural(childRoleCount, 'role that inherits', 'roles that inherit')} from it`,
  ].filter((words) => words !== false)
  if (concerned.length === 0) return 'Nobody has this role yet.'
  return `Takes effect immediately for ${concerned.join(' and ')}.`
}

function EffectList({ effect: { more, less } }: { effect: PermissionDifference }) {
  if (more.length === 0 && less.length === 0) return <Text size="sm">No permissions change.</Text>
  return (
    <List size="sm" spacing={2}>
      {more.length > 0 && <List.Item>Added permissions: {summarizePermissions(more)}</List.Item>}
      {less.length > 0 && <List.Item>Removed permissions: {summarizePermissions(less)}</List.Item>}
    </List>
  )
}
