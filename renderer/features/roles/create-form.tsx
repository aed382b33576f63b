import { Radio, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { organizationTreeQuery } from '../../data/organizations.ts'
import {
  assignableRoleIdsQuery,
  copyRole,
  createRoleMutation,
  effectivePermissionsQuery,
  type Role,
  type RoleRef,
  rolesQuery,
} from '../../data/roles.ts'
import { distinctName, idsWithSharedName } from '../../domain/organizations/same-names.ts'
import { everythingNotInheritable, grantsEverything } from '../../domain/roles/effective-permissions.ts'
import { rolePage, usePartnerIdOfPage } from '../../domain/roles/role-pages.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { renderOptionDescription } from '../../ui/option-description.tsx'
import { type RoleOwner, roleNameError, rolesOfSameOwner } from './filter-roles.ts'
import { useRoleViewer } from './use-viewer.ts'

type Start = 'nothing' | 'copy' | 'parent'

const starts: Record<Start, { label: string; about: string }> = {
  nothing: { label: 'From scratch', about: 'Starts with no permissions.' },
  copy: { label: 'Copy of a role', about: 'Starts with the same permissions. Later changes aren’t synced.' },
  parent: { label: 'Based on a role', about: 'Always has that role’s permissions, plus its own.' },
}

interface Props {
  /** The role to copy, if it is fixed. */
  source?: Role
}

/** Creates a role and opens its page, where its permissions are chosen. */
export function CreateForm({ source }: Props) {
  const { scope, partnerName, orgId: ownOrgId } = useRoleViewer()
  const viewedPartnerId = usePartnerIdOfPage()
  const navigate = useNavigate()
  const roles = useQuery(rolesQuery(viewedPartnerId)).data ?? []
  const ownerOf = (chosen: string): RoleOwner => {
    const orgId = scope === 'organization' ? ownOrgId : chosen || null
    return { scope: orgId === null ? 'partner' : 'organization', orgId }
  }
  const form = useForm({
    initialValues: {
      name: source ? `Copy of ${source.name}`.slice(0, 100) : '',
      orgId: source?.orgId ?? '',
      start: (source ? 'copy' : 'nothing') as Start,
      otherId: source?.id ?? '',
    },
    validate: {
      name: (name, { orgId }) => roleNameError(roles, ownerOf(orgId), name),
      orgId: (orgId) => (isChosenLater(source) && scope === 'partner' && !orgId ? 'Choose an organization' : null),
      otherId: (id, { start }) => (start !== 'nothing' && !id ? 'Choose a role' : null),
    },
  })
  const { start, otherId } = form.values
  const owner = ownerOf(form.values.orgId)
  const { orgId } = owner
  const saving = useFormSubmission(form, {
    mutationFn: ({ name, start, otherId }) => {
      const other = source ?? roles.find(({ id }) => id === otherId)
      if (start === 'copy' && other) return copyRole.mutationFn({ source: other, orgId, name: name.trim() })
      const body = { name: name.trim(), parentRoleId: start === 'parent' ? otherId : null }
      return createRoleMutation.mutationFn({
        ...body,
        ...(orgId === null ? { partnerId: viewedPartnerId } : { orgId }),
      })
    },
    onSuccess: async (role) => {
      await navigate({ ...rolePage({ ...role, viewedPartnerId }), ignoreBlocker: true })
      await createRoleMutation.onSuccess()
    },
  })
  return (
    <DialogForm saving={saving} action={source ? 'Copy' : 'Create'}>
      <TextInput label="Name" data-autofocus maxLength={100} {...form.getInputProps('name')} />
      {scope === 'partner' && (!source || isChosenLater(source)) && (
        <OwnerField
          partnerName={isChosenLater(source) ? null : (partnerName ?? 'The company')}
          viewedPartnerId={viewedPartnerId}
          {...form.getInputProps('orgId')}
          onChange={(next) => form.setValues({ orgId: next, ...(!source && { otherId: '' }) })}
        />
      )}
      {source ? (
        <Text size="sm" c="dimmed">
          Starts with all permissions of {source.name}, including inherited ones. Later changes aren’t synced.
        </Text>
      ) : (
        <>
          <Radio.Group label="Start from" {...form.getInputProps('start')}>
            <Stack gap="xs" mt={6}>
              {Object.entries(starts).map(([value, { label, about }]) => (
                <Radio key={value} value={value} label={label} description={about} />
              ))}
            </Stack>
          </Radio.Group>
          {start !== 'nothing' && (
            <OtherField
              roles={rolesOfSameOwner(roles, owner)}
              roleOwner={{ orgId, viewedPartnerId }}
              isParent={start === 'parent'}
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

/** A copy of a built-in organization role belongs to one organization, which has to be chosen. */
const isChosenLater = (source: Role | undefined) => source?.scope === 'organization' && source.orgId === null

interface OwnerProps {
  /** Null if the role cannot belong to the partner. */
  partnerName: string | null
  viewedPartnerId: string | undefined
  value?: string
  error?: ReactNode
  onChange: (orgId: string) => void
}

function OwnerField({ partnerName, viewedPartnerId, value, ...field }: OwnerProps) {
  const enabled = can(useMe(), 'organizations:read')
  const all = useQuery({ ...organizationTreeQuery, enabled }).data ?? []
  const organizations = all.filter((one) => !viewedPartnerId || one.partnerId === viewedPartnerId)
  const nameOf = distinctName(idsWithSharedName(organizations))
  const partner = partnerName === null ? [] : [{ value: '', label: partnerName }]
  return (
    <Select
      label="For"
      description="Only people who belong there can have this role."
      searchable
      limit={50}
      allowDeselect={false}
      placeholder="Choose an organization"
      data={[...partner, ...organizations.map((one) => ({ value: one.id, label: nameOf(one) }))]}
      {...field}
      value={value || (partnerName === null ? null : '')}
      onChange={(next) => field.onChange(next ?? '')}
    />
  )
}

interface OtherProps {
  roles: readonly Role[]
  roleOwner: Omit<RoleRef, 'id'>
  isParent: boolean
  value: string
  error: ReactNode
  onChange: (id: string) => void
}

function OtherField({ roles, roleOwner, isParent, value, error, onChange }: OtherProps) {
  const withinOwn = useQuery(assignableRoleIdsQuery(roleOwner)).data
  const chosen = useQuery({
    ...effectivePermissionsQuery({ ...roleOwner, id: value }),
    enabled: isParent && value !== '',
  }).data
  const isEverything = isParent && chosen !== undefined && grantsEverything(chosen.permissions)
  const isRefused = (id: string) => withinOwn?.has(id) === false
  const aboutOf = new Map(roles.map(({ id, description }) => [id, isRefused(id) ? tooMuch : description]))
  return (
    <Select
      label="Which role"
      searchable
      allowDeselect={false}
      placeholder="Choose a role"
      data={roles.map(({ id, name }) => ({ value: id, label: name, disabled: isRefused(id) }))}
      renderOption={renderOptionDescription((id) => aboutOf.get(id))}
      value={value || null}
      error={isEverything ? everythingNotInheritable : error}
      onChange={(id) => onChange(id ?? '')}
    />
  )
}

const tooMuch = 'This role has permissions yours doesn’t, so you can’t copy it.'
