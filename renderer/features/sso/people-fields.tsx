import { Alert, Select, Switch, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { assignableRolesQuery } from '../../data/people.ts'
import type { SsoOwner } from '../../data/sso-providers.ts'
import { messageFor } from '../../lib/error-messages.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { TextLink } from '../../ui/links.tsx'
import { renderOptionDescription } from '../../ui/option-description.tsx'
import type { PresetGuide } from './presets.ts'
import type { ProviderValues } from './provider-values.ts'

interface Props {
  form: UseFormReturnType<ProviderValues>
  owner: SsoOwner
  guide: PresetGuide
}

/** Who may sign in through the provider, and with which role. */
export function PeopleFields({ form, owner, guide }: Props) {
  return (
    <>
      {guide.note && (
        <Alert variant="light" p="sm">
          <Text size="sm">{guide.note}</Text>
        </Alert>
      )}
      {guide.vouchesForNoAddress && (
        <Alert variant="light" p="sm">
          <Text size="sm">
            {guide.name} doesn’t confirm that email addresses are verified. {unverifiedAddressNote(owner)}
          </Text>
        </Alert>
      )}
      <TextInput
        label="Allowed domains"
        description="Only people with an email address at one of these domains can sign in. Leave empty to allow everyone the identity provider accepts."
        placeholder="contoso.com, contoso.de"
        autoComplete="off"
        maxLength={1000}
        {...form.getInputProps('allowedDomains')}
      />
      {owner.orgId ? (
        <NewPeople form={form} orgId={owner.orgId} />
      ) : (
        <Text size="sm" c="dimmed">
          Accounts aren’t created automatically. Invite people first; they sign in with the same address.
        </Text>
      )}
      <Switch
        label="Trust the provider’s second factor"
        description="People who used a second factor there aren’t asked for one here. Counts only if the identity provider says so in the ID token (“mfa” in the amr claim); many have to be configured for that."
        {...form.getInputProps('trustsIdpMfa', { type: 'checkbox' })}
      />
    </>
  )
}

const unverifiedAddressNote = ({ orgId }: SsoOwner): string =>
  orgId
    ? 'Also verify your people’s domain: until then, nobody can sign in for the first time.'
    : 'People with a password have to connect their account in their profile first.'

function NewPeople({ form, orgId }: { form: Props['form']; orgId: string }) {
  return (
    <>
      <Switch
        label="Create accounts at first sign-in"
        description="Otherwise only members of the organization can sign in."
        {...form.getInputProps('autoProvision', { type: 'checkbox' })}
      />
      {form.values.autoProvision && <DefaultRole form={form} orgId={orgId} />}
    </>
  )
}

function DefaultRole({ form, orgId }: { form: Props['form']; orgId: string }) {
  const maySee = can(useMe(), 'users:read')
  const roles = useQuery({ ...assignableRolesQuery({ orgId }), enabled: maySee })
  // The API refuses built-in roles, which belong to no tenant.
  const own = roles.data?.filter(({ isSystem }) => !isSystem) ?? []
  const aboutOf = new Map(own.map((role) => [role.id, role.isAssignable ? role.description : tooMuch]))
  if (!maySee)
    return (
      <Text size="sm" c="dimmed">
        To choose the role, you need the permissions to view people and roles.
      </Text>
    )
  const { error, ...field } = form.getInputProps('defaultRoleId')
  return (
    <Select
      label="Role for new people"
      description={
        <>
          A role of this organization without permissions you don’t have yourself. Built-in roles can’t be used:{' '}
          <CopyOne>make a copy</CopyOne>. The person who chooses the role answers for it: if they lose the permission,
          no more accounts are created.
        </>
      }
      placeholder={roles.data && own.length === 0 ? 'The organization has no roles of its own yet' : 'Choose a role'}
      clearable
      searchable
      data={own.map(({ id, name, isAssignable }) => ({ value: id, label: name, disabled: !isAssignable }))}
      renderOption={renderOptionDescription((id) => aboutOf.get(id))}
      {...field}
      value={form.values.defaultRoleId || null}
      onChange={(id) => form.setFieldValue('defaultRoleId', id ?? '')}
      error={roles.error ? messageFor(roles.error) : error}
    />
  )
}

/** Links to the roles that can be copied, since the organization may have none of its own. */
const CopyOne = ({ children }: { children: string }) =>
  can(useMe(), 'users:write') ? (
    <TextLink to="/settings/roles" search={{ of: 'built-in' }} inherit underline="always">
      {children}
    </TextLink>
  ) : (
    children
  )

const tooMuch = 'This role has permissions yours doesn’t, so you can’t assign it.'
