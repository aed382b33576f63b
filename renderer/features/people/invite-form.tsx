import { Select, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import type { UserRow } from '../../../shared/api/people.ts'
import type { MailDelivery } from '../../../shared/api/registration.ts'
import { emailAddress } from '../../../shared/fields.ts'
import { organizationTreeQuery } from '../../data/organizations.ts'
import { assignableRolesQuery, inviteUserMutation, type PeopleOwner, peopleQuery } from '../../data/people.ts'
import { useMailDelivery } from '../../domain/messaging/use-mail-delivery.ts'
import { distinctName, idsWithSharedName } from '../../domain/organizations/same-names.ts'
import { personPage } from '../../domain/people/person-page.ts'
import { FutureLinkNotice } from '../../domain/system/link-notice.tsx'
import { administrator } from '../../lib/built-in-roles.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { TextLink } from '../../ui/links.tsx'
import { showInvitationSent } from './invitation-sent.tsx'
import { emptyReach, ReachFields, reachBody, reachRules } from './reach-fields.tsx'
import { RoleSelect } from './role-select.tsx'
import { useOwnReach } from './use-own-reach.ts'

interface Props {
  owner: PeopleOwner
  partnerName: string
  onDone: () => void
}

/** State, validation and submission of the form. */
function useInvitation({ owner, onDone }: Props) {
  const me = useMe()
  const people = useQuery(peopleQuery(owner)).data ?? []
  const own = useOwnReach(owner)
  const form = useForm({
    initialValues: {
      orgId: owner.orgId ?? (me.scope === 'organization' ? (me.orgId ?? '') : ''),
      email: '',
      name: '',
      roleId: '',
      ...emptyReach,
      ...own,
    },
    validate: {
      email: (email, values) =>
        emailAddress.safeParse(email).success
          ? memberIn(people, values) && 'Already a member'
          : 'Enter an email address',
      name: (name) => (name.trim() ? null : 'Enter a name'),
      roleId: (id) => (id ? null : 'Choose a role'),
      ...reachRules,
    },
  })
  const { orgId } = form.values
  const tenant: PeopleOwner = orgId ? { orgId } : { partnerId: owner.partnerId }
  useFirstAdministrator(people.length === 0 && !orgId, tenant, (roleId) => {
    if (!form.values.roleId) form.setValues({ roleId, orgAccess: 'all' })
  })
  const saving = useFormSubmission(form, {
    mutationFn: ({ email, name, roleId, ...reach }) =>
      inviteUserMutation.mutationFn({ tenant, body: { email, name: name.trim(), roleId, ...reachBody(reach) } }),
    onSuccess: async (invited) => {
      onDone()
      showInvitationSent(invited)
      await inviteUserMutation.onSuccess()
    },
  })
  return { form, saving, tenant, own, member: memberIn(people, form.values) }
}

export function InviteForm(props: Props) {
  const { owner, partnerName, onDone } = props
  const { form, saving, tenant, own, member } = useInvitation(props)
  const delivery = useMailDelivery()
  const isChoice = useMe().scope !== 'organization' && !owner.orgId
  return (
    <DialogForm saving={saving} action="Invite">
      <TextInput
        label="Email"
        type="email"
        data-autofocus
        maxLength={255}
        autoComplete="off"
        {...form.getInputProps('email')}
        error={member ? <HereAlready member={member} owner={owner} onLeave={onDone} /> : form.errors.email}
      />
      <TextInput
        label="Name"
        maxLength={255}
        autoComplete="off"
        description="If they already have an account, its name is kept."
        {...form.getInputProps('name')}
      />
      {isChoice && (
        <PlaceSelect
          partnerName={partnerName}
          partnerId={owner.partnerId}
          value={form.values.orgId}
          onChange={(next) => form.setValues({ ...emptyReach, orgId: next, roleId: '' })}
        />
      )}
      <RoleSelect tenant={tenant} {...form.getInputProps('roleId')} />
      <ReachFields orgId={tenant.orgId} partnerId={owner.partnerId} form={form} own={own} />
      <HowItGoesOut delivery={delivery} />
      <FutureLinkNotice isMailed={delivery === 'server'} />
    </DialogForm>
  )
}

/** The person with the typed address, if they are a member of the chosen tenant. */
const memberIn = (people: readonly UserRow[], { email, orgId }: { email: string; orgId: string }) =>
  people.find((one) => one.email === email.trim().toLowerCase() && (one.orgId ?? '') === orgId)

interface HereProps {
  member: UserRow
  owner: PeopleOwner
  onLeave: () => void
}

function HereAlready({ member, owner, onLeave }: HereProps) {
  return (
    <>
      {member.name} is already a member.{' '}
      <TextLink {...personPage(owner, member.id)} ignoreBlocker inherit underline="always" onClick={onLeave}>
        {member.status === 'invited' ? 'Invite again on their page' : 'Change the role on their page'}
      </TextLink>
    </>
  )
}

/** The first person of a company is proposed as its full administrator, who needs all organizations. */
function useFirstAdministrator(isWanted: boolean, tenant: PeopleOwner, onFound: (roleId: string) => void) {
  const roles = useQuery({ ...assignableRolesQuery(tenant), enabled: isWanted }).data
  const roleId = roles?.find(({ name, isSystem }) => isSystem && name === administrator)?.id
  const found = useEffectEvent(onFound)
  useEffect(() => {
    if (isWanted && roleId) found(roleId)
  }, [isWanted, roleId])
}

interface PlaceProps {
  partnerName: string
  /** The partner whose organizations are offered, for platform administrators. */
  partnerId: string | undefined
  value: string
  onChange: (orgId: string) => void
}

function PlaceSelect({ partnerName, partnerId, value, onChange }: PlaceProps) {
  const enabled = can(useMe(), 'organizations:read')
  const all = useQuery({ ...organizationTreeQuery, enabled }).data ?? []
  const organizations = all.filter((one) => !partnerId || one.partnerId === partnerId)
  const nameOf = distinctName(idsWithSharedName(organizations))
  return (
    <Select
      label="Belongs to"
      description={
        value
          ? 'Sees nothing but this organization: for a customer’s own people.'
          : 'Your own staff. Which organizations they see is chosen under “Access”.'
      }
      searchable
      limit={50}
      allowDeselect={false}
      data={[{ value: '', label: partnerName }, ...organizations.map((one) => ({ value: one.id, label: nameOf(one) }))]}
      value={value}
      onChange={(next) => onChange(next ?? '')}
    />
  )
}

function HowItGoesOut({ delivery }: { delivery: MailDelivery }) {
  const { isPlatformAdmin } = useMe()
  if (delivery === 'server')
    return (
      <Text size="sm" c="dimmed">
        They’ll get an email with a link that expires in 7 days. People who already have an account accept by signing
        in.
      </Text>
    )
  return (
    <Text size="sm" c="dimmed">
      {delivery === 'file' ? 'Email is written to files and not sent.' : 'Email isn’t set up.'} You’ll get a link to
      share.{' '}
      {isPlatformAdmin && (
        <TextLink to="/system/mail" search={{ tab: 'mail-server' }} inherit underline="always">
          {delivery === 'file' ? 'View mail settings' : 'Set up email'}
        </TextLink>
      )}
    </Text>
  )
}
