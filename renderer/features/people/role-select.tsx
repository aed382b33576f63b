import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { AssignableRole } from '../../../shared/api/people.ts'
import { assignableRolesQuery, type PeopleOwner } from '../../data/people.ts'
import { messageFor } from '../../lib/error-messages.ts'
import { renderOptionDescription } from '../../ui/option-description.tsx'

interface Props {
  tenant: PeopleOwner
  value?: string
  error?: ReactNode
  onChange: (id: string) => void
}

/** Select of a role; roles with more permissions than the user's own are shown as unavailable. */
export function RoleSelect({ tenant, value, error, onChange }: Props) {
  const roles = useQuery(assignableRolesQuery(tenant))
  // Available roles come first, and last those that permit nothing yet.
  const all = (roles.data ?? []).toSorted((one, other) => Number(other.isAssignable) - Number(one.isAssignable))
  const unused = all.filter(({ isUsed }) => !isUsed)
  const chosen = all.find(({ id }) => id === value)
  const aboutOf = new Map(all.map((role) => [role.id, role.isAssignable ? role.description : tooMuch]))
  return (
    <Select
      label="Role"
      description={chosen?.description ?? 'What they’re allowed to do.'}
      searchable
      allowDeselect={false}
      placeholder="Choose a role"
      data={[
        ...all.filter(({ isUsed }) => isUsed).map(optionOf),
        ...(unused.length > 0 ? [{ group: 'Not used yet', items: unused.map(optionOf) }] : []),
      ]}
      renderOption={renderOptionDescription((id) => aboutOf.get(id))}
      value={value || null}
      error={roles.error ? messageFor(roles.error) : error}
      onChange={(id) => onChange(id ?? '')}
    />
  )
}

const optionOf = ({ id, name, isAssignable }: AssignableRole) => ({ value: id, label: name, disabled: !isAssignable })

const tooMuch = 'This role has permissions yours doesn’t, so you can’t assign it.'
