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
            {guide.name} does not tell whether it checked an e-mail address. {unverifiedAddressNote(owner)}
          </Text>
        </Alert>
      )}
      <TextInput
        label="Allowed domains"
        description="Only people whose e-mail address ends in one of these come in. Leave it empty to let anybody in whom the identity provider lets in."
        placeholder="contoso.com, contoso.de"
        autoComplete="off"
        maxLength={1000}
        {...form.getInputProps('allowedDomains')}
      />
      {owner.orgId ? (
        <NewPeople form={form} orgId={owner.orgId} />
      ) : (
        <Text size="sm" c="dimmed">
          Nobody is created this way: invite people of the company first, and they sign in with the same address.
        </Text>
      )}
      <Switch
        label="Trust its second factor"
        description="Whoever showed a second factor there is not asked for one here. It counts only when the identity provider says so in the ID token (“mfa” in the claim amr); many have to be set up to do that."
        {...form.getInputProps('trustsIdpMfa', { type: 'checkbox' })}
      />
    </>
  )
}

const unverifiedAddressNote = ({ orgId }: SsoOwner): string =>
  orgId
    ? 'Verify the domain of your people, too: until then nobody comes in for the first time.'
    : 'Whoever has a password connects their account from their profile first.'

function NewPeople({ form, orgId }: { form: Props['form']; orgId: string }) {
  return (
    <>
      <Switch
        label="Create people on their first sign-in"
        description="Otherwise only those come in who are members of the organization already."
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
        Choosing the role they get takes the right to see people and roles.
      </Text>
    )
  const { error, ...field } = form.getInputProps('defaultRoleId')
  return (
    <Select
      label="Role of new people"
      description={
        <>
          A role of this organization that permits nothing you may not do yourself. Those that come with Homeport can
          not be used: <CopyOne>make a copy</CopyOne>. Whoever chooses the role answers for it: when they lose the right
          themselves, nobody new is created.
        </>
      }
      placeholder={roles.data && own.length === 0 ? 'The organization has no role of its own yet' : 'Choose a role'}
      clearable
      searchable
      openOnFocus={false}
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

const tooMuch = 'Permits more than your own role, so you can not give it.'
