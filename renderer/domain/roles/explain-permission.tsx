import { Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isInUse } from '../../../shared/api/in-use.ts'
import { allPermissions, type Permission } from '../../../shared/permissions.ts'
import { effectivePermissionsQuery, type Role, type RoleRef } from '../../data/roles.ts'
import { TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { grantsEverything, permissionSource, type RolePermissions, rolePermissions } from './effective-permissions.ts'
import { permissionName } from './permission-labels.ts'
import { rolePage } from './role-pages.ts'

const optionsOf = (permissions: readonly Permission[]) =>
  permissions.map((value) => ({ value, label: permissionName(value) }))
const options = [
  ...optionsOf(allPermissions.filter(isInUse)),
  { group: 'Not used yet', items: optionsOf(allPermissions.filter((one) => !isInUse(one))) },
]

export const parsePermission = (name: string | null | undefined): Permission | undefined =>
  allPermissions.find((permission) => permission === name)

/** Answers why somebody with this role can, or cannot, do something. */
export function ExplainPermission({ role, who }: { role: RoleRef; who: string }) {
  const effective = useQuery(effectivePermissionsQuery(role))
  const [permission, setPermission] = useState<Permission>()
  return (
    <Stack gap="xs">
      <PermissionSelect who={who} value={permission} onChange={setPermission} />
      {permission && (
        <Loaded of={effective} lines={1}>
          {(loaded) => (
            <PermissionExplanation
              role={{ ...role, name: loaded.roleName }}
              powers={rolePermissions(loaded)}
              permission={permission}
            />
          )}
        </Loaded>
      )}
    </Stack>
  )
}

interface SelectProps {
  who?: string
  value: Permission | undefined
  onChange: (permission: Permission | undefined) => void
}

export function PermissionSelect({ who = 'someone', value, onChange }: SelectProps) {
  return (
    <Select
      aria-label={`Why can ${who} do this?`}
      placeholder={`Why can ${who} …?`}
      w={{ base: '100%', sm: 300 }}
      searchable
      clearable
      // A click selects the text, so that typing replaces it.
      onClick={({ currentTarget }) => currentTarget instanceof HTMLInputElement && currentTarget.select()}
      nothingFoundMessage="No permission has that name"
      clearButtonProps={{ 'aria-label': 'Clear' }}
      data={options}
      value={value ?? null}
      onChange={(next) => onChange(parsePermission(next))}
    />
  )
}

type Named = Pick<Role, 'id' | 'name' | 'viewedPartnerId'>

interface AnswerProps {
  role: Named
  powers: RolePermissions
  permission: Permission
}

/** One sentence, with a link to the role that the permission comes from. */
export function PermissionExplanation({ role, powers, permission }: AnswerProps) {
  const source = permissionSource(powers, permission)
  const what = <strong>{permissionName(permission)}</strong>
  const roleLink = (one: Named) => (
    <TextLink {...rolePage(one)} search={{ permission }} inherit underline="always">
      {one.name}
    </TextLink>
  )
  return (
    <Text size="sm" component="div" aria-live="polite">
      {source === null && (
        <>
          {role.name} does not permit {what}, and neither does a role it inherits from.
        </>
      )}
      {source?.kind === 'own' && (
        <>
          {roleLink(role)} itself permits {what}
          {grantsEverything(powers.own) && ', as it includes every permission'}.
        </>
      )}
      {source?.kind === 'inherited' && (
        <>
          {role.name} permits {what} because it inherits from {roleLink({ ...role, ...source.from })}
          {source.through.length > 0 && <>, through {listed(source.through.map(({ name }) => name))}</>}.
        </>
      )}
      {!isInUse(permission) && ' No part of Homeport asks for this permission.'}
    </Text>
  )
}

const listed = (names: readonly string[]) => new Intl.ListFormat('en').format(names)
