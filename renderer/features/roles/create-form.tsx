import { Radio, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { RoleRow } from '../../../shared/api/roles.ts'
import { useMe } from '../../lib/session.ts'
import { useSaving } from '../../lib/use-saving.ts'
import { withAbout } from '../../ui/about-option.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { organizationTreeQuery } from '../organizations/data.ts'
import { nameAmong, namesakesIn } from '../organizations/namesakes.ts'
import { copy, create, rolesQuery, withinOwnQuery } from './data.ts'
import { besides, type Owner } from './matching.ts'

type Start = 'nothing' | 'copy' | 'parent'

const starts: Record<Start, { label: string; about: string }> = {
  nothing: { label: 'From scratch', about: 'It permits nothing until you say so.' },
  copy: { label: 'As a copy of a role', about: 'It permits the same today, and goes its own way from then on.' },
  parent: { label: 'On top of a role', about: 'It permits whatever that role permits, today and later, and more.' },
}

interface Props {
  /** The role to be copied, where that is settled. */
  source?: RoleRow
}

/** Makes a role and goes to its page, where its permissions are ticked. */
export function CreateForm({ source }: Props) {
  const me = useMe()
  const navigate = useNavigate()
  const roles = useQuery(rolesQuery).data ?? []
  const form = useForm({
    initialValues: {
      name: source ? `Copy of ${source.name}`.slice(0, 100) : '',
      orgId: source?.orgId ?? '',
      start: (source ? 'copy' : 'nothing') as Start,
      otherId: source?.id ?? '',
    },
    validate: {
      name: (name) => (name.trim() ? null : 'Enter a name'),
      orgId: (orgId) => (isChosenLater(source) && me.scope === 'partner' && !orgId ? 'Choose an organization' : null),
      otherId: (id, { start }) => (start !== 'nothing' && !id ? 'Choose a role' : null),
    },
  })
  const { start, otherId } = form.values
  const orgId = me.scope === 'organization' ? me.orgId : form.values.orgId || null
  const others = besides(roles, { scope: orgId === null ? 'partner' : 'organization', orgId } satisfies Owner)
  const saving = useSaving(form, {
    mutationFn: ({ name, start, otherId }) => {
      const other = source ?? roles.find(({ id }) => id === otherId)
      if (start === 'copy' && other) return copy.mutationFn({ source: other, orgId, name: name.trim() })
      const body = { name: name.trim(), parentRoleId: start === 'parent' ? otherId : null }
      return create.mutationFn({ ...body, ...(orgId !== null && { orgId }) })
    },
    onSuccess: async (role) => {
      await navigate({ to: '/settings/roles/$roleId', params: { roleId: role.id }, ignoreBlocker: true })
      await create.onSuccess()
    },
  })
  return (
    <DialogForm saving={saving} action={source ? 'Copy' : 'Create'}>
      <TextInput label="Name" data-autofocus maxLength={100} {...form.getInputProps('name')} />
      {me.scope === 'partner' && (!source || isChosenLater(source)) && (
        <OwnerField
          companyName={isChosenLater(source) ? null : (me.partnerName ?? 'The company')}
          {...form.getInputProps('orgId')}
          onChange={(next) => form.setValues({ orgId: next, ...(!source && { otherId: '' }) })}
        />
      )}
      {source ? (
        <Text size="sm" c="dimmed">
          It permits all that {source.name} permits, inherited permissions too, and goes its own way from then on.
        </Text>
      ) : (
        <>
          <Radio.Group label="How it begins" {...form.getInputProps('start')}>
            <Stack gap="xs" mt={6}>
              {Object.entries(starts).map(([value, { label, about }]) => (
                <Radio key={value} value={value} label={label} description={about} />
              ))}
            </Stack>
          </Radio.Group>
          {start !== 'nothing' && (
            <OtherField
              roles={others}
              orgId={orgId}
              value={otherId}
              error={form.errors.otherId}
              onChange={(id) => form.setFieldValue('otherId', id)}
            />
          )}
        </>
      )}
    </DialogForm>
  )
}

/** A role that comes with Homeport, for people of whichever organization: a copy is for those of one. */
const isChosenLater = (source: RoleRow | undefined) => source?.scope === 'organization' && source.orgId === null

interface OwnerProps {
  /** Null where it can not be a role of the company. */
  companyName: string | null
  value?: string
  error?: ReactNode
  onChange: (orgId: string) => void
}

function OwnerField({ companyName, value, ...field }: OwnerProps) {
  const organizations = useQuery(organizationTreeQuery).data ?? []
  const nameOf = nameAmong(namesakesIn(organizations))
  const company = companyName === null ? [] : [{ value: '', label: companyName }]
  return (
    <Select
      label="For people of"
      description="Only they can have it."
      searchable
      limit={50}
      allowDeselect={false}
      openOnFocus={false}
      placeholder="Choose an organization"
      data={[...company, ...organizations.map((one) => ({ value: one.id, label: nameOf(one) }))]}
      {...field}
      value={value || (companyName === null ? null : '')}
      onChange={(next) => field.onChange(next ?? '')}
    />
  )
}

interface OtherProps {
  roles: readonly RoleRow[]
  orgId: string | null
  value: string
  error: ReactNode
  onChange: (id: string) => void
}

function OtherField({ roles, orgId, value, error, onChange }: OtherProps) {
  const withinOwn = useQuery(withinOwnQuery(orgId)).data
  const isRefused = (id: string) => withinOwn?.has(id) === false
  const aboutOf = new Map(roles.map(({ id, description }) => [id, isRefused(id) ? tooMuch : description]))
  return (
    <Select
      label="Which role"
      searchable
      allowDeselect={false}
      openOnFocus={false}
      placeholder="Choose a role"
      data={roles.map(({ id, name }) => ({ value: id, label: name, disabled: isRefused(id) }))}
      renderOption={withAbout((id) => aboutOf.get(id))}
      value={value || null}
      error={error}
      onChange={(id) => onChange(id ?? '')}
    />
  )
}

const tooMuch = 'Permits more than your own role, so you can not hand it on.'
