import { Alert, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { allPermissions, type Grant, grantAllows, grantName, type Permission } from '../../../shared/permissions.ts'
import { effectivePermissionsQuery } from '../../data/roles.ts'
import {
  grantsEverything,
  permissionsWithParent,
  type RolePermissions,
} from '../../domain/roles/effective-permissions.ts'
import { PermissionExplanation, PermissionSelect, parsePermission } from '../../domain/roles/explain-permission.tsx'
import { summarizePermissions } from '../../domain/roles/permission-labels.ts'
import { useMe } from '../../lib/session.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { ParentField } from './parent-field.tsx'
import { PermissionMatrix } from './permission-matrix.tsx'
import { permissionState } from './permission-state.ts'
import { fieldsOf, permissionsOf, withPermission } from './role-draft.ts'
import type { RoleTabProps } from './role-tab-props.ts'

export function PermissionsTab(props: RoleTabProps) {
  const { role, roles, draft, isClosed, onChange } = props
  const { permissions: held } = useMe()
  const [search, setSearch] = useState<string>()
  const { permission } = useSearch({ strict: false })
  const navigate = useNavigate()
  const pointedAt = parsePermission(permission)
  const pointAt = (next: Permission | undefined) =>
    navigate({ to: '.', search: (old) => ({ ...old, permission: next }), replace: true })

  const { parentRoleId } = fieldsOf(role, draft)
  const above = roles.find(({ id }) => id === parentRoleId)
  const parent = useQuery({ ...effectivePermissionsQuery(above ?? role), enabled: above !== undefined })
  const own = permissionsOf(role, draft)
  const powers = above ? parent.data && permissionsWithParent(own, parent.data) : permissionsWithParent(own, null)
  const tooMuch = isClosed ? [] : missingIn(role.permissions, held)
  const verdict = (known: RolePermissions, one: Permission) =>
    permissionState({ powers: known, held, isClosed: isClosed || tooMuch.length > 0 }, one)
  const hasLocked = !isClosed && powers && allPermissions.some((one) => verdict(powers, one).isLocked)
  return (
    <Stack>
      {!role.isSystem && <ParentField {...props} parent={above && parent.data} powers={powers} />}
      {tooMuch.length > 0 && <TooMuch grants={tooMuch} />}
      {grantsEverything(role.permissions) && <Text size="sm">Includes every permission, also new ones.</Text>}
      <Group gap="sm" align="flex-start">
        <SearchBox label="Search permissions" value={search} onSearch={setSearch} />
        <PermissionSelect value={pointedAt} onChange={pointAt} />
      </Group>
      {hasLocked && (
        <Text size="xs" c="dimmed" visibleFrom="sm">
          Gray permissions can’t be changed here; point at one to see why.
        </Text>
      )}
      {pointedAt && powers && <PermissionExplanation role={role} powers={powers} permission={pointedAt} />}
      <Loaded of={{ ...parent, data: powers }}>
        {(known) => (
          <PermissionMatrix
            search={search ?? ''}
            verdict={(one) => verdict(known, one)}
            onTurn={(one, isWanted) => onChange(withPermission(draft, one, isWanted))}
            pointedAt={pointedAt}
          />
        )}
      </Loaded>
    </Stack>
  )
}

const missingIn = (required: readonly Grant[], held: readonly Grant[]) =>
  required.filter((grant) => !held.some((one) => grantAllows(one, `${grant.resource}:${grant.action}` as Permission)))

/** Saving permissions replaces all of them, so the user must hold every one. */
function TooMuch({ grants }: { grants: readonly Grant[] }) {
  return (
    <Alert variant="light" color="yellow" p="sm">
      <Text size="sm">
        This role has permissions yours doesn’t: {summarizePermissions(grants.map(grantName))}. Only someone with all of
        them can change it.
      </Text>
    </Alert>
  )
}
