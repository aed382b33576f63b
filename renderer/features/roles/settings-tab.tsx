import { Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { roleNameError } from './filter-roles.ts'
import { fieldsOf, withFields } from './role-draft.ts'
import type { RoleTabProps } from './role-tab-props.ts'

export function SettingsTab({ role, roles, draft, isClosed, onChange }: RoleTabProps) {
  const { name, description, forceMfa } = fieldsOf(role, draft)
  return (
    <Stack maw={560}>
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
        description="What it is for: whoever gives somebody a role reads this."
        maxLength={1000}
        autosize
        minRows={2}
        maxRows={6}
        readOnly={isClosed}
        value={description ?? ''}
        onChange={({ currentTarget: { value } }) => onChange(withFields(draft, { description: value || null }))}
      />
      <Switch
        label="Ask for a second factor"
        description="Whoever has this role and no second factor is given some days to set one up, and then gets no further without. It counts once whoever runs this Homeport has switched it on for roles; roles that inherit from this one do not take it over. To ask everybody of the company for one, see Company, Security."
        checked={forceMfa}
        disabled={isClosed}
        onChange={({ currentTarget: { checked } }) => onChange(withFields(draft, { forceMfa: checked }))}
      />
    </Stack>
  )
}
