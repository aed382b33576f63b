import { Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { roleNameError } from './filter-roles.ts'
import { fieldsOf, withFields } from './role-draft.ts'
import type { RoleTabProps } from './role-tab-props.ts'

export function SettingsTab({ role, roles, draft, isClosed, onChange }: RoleTabProps) {
  const { name, description, forceMfa } = fieldsOf(role, draft)
  return (
    <Stack maw={560} data-read-only={isClosed || undefined}>
      <TextInput
        label="Name"
        maxLength={100}
        readOnly={isClosed}
        value={name}
        error={name === role.name ? null : roleNameError(roles, role, name, role.id)}
        onChange={({ currentTarget: { value } }) => onChange(withFields(draft, { name: value }))}
      />
      <Textarea
        label="Description"
        description="Helps others choose the right role."
        maxLength={1000}
        autosize
        minRows={2}
        maxRows={6}
        readOnly={isClosed}
        value={description ?? ''}
        onChange={({ currentTarget: { value } }) => onChange(withFields(draft, { description: value || null }))}
      />
      <Switch
        label="Require a second factor"
        description="People with this role get some days to set up a second factor; after that they can’t continue without one. Takes effect once the operator of this appliance has enabled it for roles. Roles that inherit from this one aren’t affected. To require it from everyone, see Company, Security."
        checked={forceMfa}
        disabled={isClosed}
        onChange={({ currentTarget: { checked } }) => onChange(withFields(draft, { forceMfa: checked }))}
      />
    </Stack>
  )
}
