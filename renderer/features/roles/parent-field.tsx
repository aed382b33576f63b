import { Alert, List, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Permission } from '../../../shared/permissions.ts'
import { plural } from '../../lib/format.ts'
import { permissionNames } from './areas.ts'
import { effectiveQuery, withinOwnQuery } from './data.ts'
import { fieldsOf, withFields } from './draft.ts'
import { besides, branchOf } from './matching.ts'
import type { PartProps } from './part-props.ts'
import { type Effect, type Effective, effectOf, holdsEverything, type Powers, powersOf } from './powers.ts'

interface Props extends PartProps {
  /** The role above it, as it is chosen now. */
  parent: Effective | null
  powers: Powers
}

/** Which role this one inherits from, and what another one would change. */
export function ParentField({ role, roles, draft, isClosed, onChange, parent, powers }: Props) {
  const { parentRoleId } = fieldsOf(role, draft)
  const withinOwn = useQuery(withinOwnQuery(role.orgId)).data
  const own = branchOf(roles, role.id)
  const others = besides(roles, role).filter(({ id }) => !own.has(id))
  const isRefused = (id: string) => id !== role.parentRoleId && withinOwn?.has(id) === false
  const aboutOf = new Map(others.map(({ id, description }) => [id, isRefused(id) ? tooMuch : description]))
  return (
    <Stack gap="xs">
      <Select
        label="Inherits from"
        description="It permits all that role permits, today and later, and what is ticked below."
        maw={480}
        searchable
        allowDeselect={false}
        openOnFocus={false}
        readOnly={isClosed}
        data={[
          { value: '', label: 'No other role' },
          ...others.map(({ id, name }) => ({ value: id, label: name, disabled: isRefused(id) })),
        ]}
        renderOption={({ option }) => (
          <Stack gap={0}>
            {option.label}
            <Text size="xs" c="dimmed">
              {aboutOf.get(option.value)}
            </Text>
          </Stack>
        )}
        value={parentRoleId ?? ''}
        error={parent && parentRoleId !== role.parentRoleId && holdsEverything(parent.permissions) && everything}
        onChange={(id) => onChange(withFields(draft, { parentRoleId: id || null }))}
      />
      {parentRoleId !== role.parentRoleId && <NewParent role={role} powers={powers} />}
    </Stack>
  )
}

const tooMuch = 'Permits more than your own role, so you can not let others inherit it.'
const everything = 'This role permits everything there is, and can not be inherited. Copy it instead.'

function NewParent({ role, powers }: Pick<Props, 'role' | 'powers'>) {
  const saved = useQuery(effectiveQuery(role)).data
  if (!saved) return null
  const effect = effectOf(powersOf(saved), powers)
  const { userCount, childRoleCount } = role
  return (
    <Alert variant="light" p="sm" title="Once this is saved" role="status">
      <EffectList effect={effect} />
      <Text size="sm">
        {userCount > 0 || childRoleCount > 0
          ? `It holds at once for ${plural(userCount, 'person', 'people')} with this role${childRoleCount > 0 ? `, and for ${plural(childRoleCount, 'role that inherits', 'roles that inherit')} from it` : ''}.`
          : 'Nobody has this role yet.'}
      </Text>
    </Alert>
  )
}

function EffectList({ effect: { more, less } }: { effect: Effect }) {
  if (more.length === 0 && less.length === 0) return <Text size="sm">Nothing else is permitted than now.</Text>
  return (
    <List size="sm" spacing={2}>
      {more.length > 0 && <List.Item>Permitted from then on: {named(more)}</List.Item>}
      {less.length > 0 && <List.Item>No longer permitted: {named(less)}</List.Item>}
    </List>
  )
}

const most = 8

/** What the first of them are about, and how much more there is. */
function named(permissions: readonly Permission[]): string {
  const names = permissionNames(permissions)
  const rest = names.length - most
  return new Intl.ListFormat('en').format(rest > 0 ? [...names.slice(0, most), `${rest} more`] : names)
}
