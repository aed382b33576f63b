import { Select, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { emailAddress } from '../../../shared/fields.ts'
import { configQuery, useMe } from '../../lib/session.ts'
import { useSaving } from '../../lib/use-saving.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { organizationTreeQuery } from '../organizations/data.ts'
import { nameAmong, namesakesIn } from '../organizations/namesakes.ts'
import { invite, type Whose } from './data.ts'
import { tellInvited } from './invited.tsx'
import { emptyReach, ReachFields, reachBody, reachRules } from './reach-fields.tsx'
import { RoleSelect } from './role-select.tsx'

interface Props {
  whose: Whose
  companyName: string
  onDone: () => void
}

/** Whom, where, as what and to see what. */
export function InviteForm({ whose, companyName, onDone }: Props) {
  const me = useMe()
  const isChoice = me.scope === 'partner' && !whose.orgId
  const form = useForm({
    initialValues: {
      orgId: whose.orgId ?? (me.scope === 'organization' ? (me.orgId ?? '') : ''),
      email: '',
      name: '',
      roleId: '',
      ...emptyReach,
    },
    validate: {
      email: (email) => (emailAddress.safeParse(email).success ? null : 'Enter an e-mail address'),
      name: (name) => (name.trim() ? null : 'Enter a name'),
      roleId: (id) => (id ? null : 'Choose a role'),
      ...reachRules,
    },
  })
  const { orgId } = form.values
  const tenant: Whose = orgId ? { orgId } : { partnerId: whose.partnerId }
  const saving = useSaving(form, {
    mutationFn: ({ email, name, roleId, ...reach }) =>
      invite.mutationFn({ tenant, body: { email, name: name.trim(), roleId, ...reachBody(reach) } }),
    onSuccess: async (invited) => {
      onDone()
      tellInvited(invited)
      await invite.onSuccess()
    },
  })
  return (
    <DialogForm saving={saving} action="Invite">
      <TextInput
        label="E-mail"
        type="email"
        data-autofocus
        maxLength={255}
        autoComplete="off"
        {...form.getInputProps('email')}
      />
      <TextInput
        label="Name"
        maxLength={255}
        autoComplete="off"
        description="Somebody who has an account already keeps the name they have there."
        {...form.getInputProps('name')}
      />
      {isChoice && (
        <PlaceSelect
          companyName={companyName}
          value={orgId}
          onChange={(next) => form.setValues({ ...emptyReach, orgId: next, roleId: '' })}
        />
      )}
      <RoleSelect tenant={tenant} {...form.getInputProps('roleId')} />
      <ReachFields orgId={orgId || undefined} partnerId={whose.partnerId} form={form} />
      <HowItGoesOut />
    </DialogForm>
  )
}

interface PlaceProps {
  companyName: string
  value: string
  onChange: (orgId: string) => void
}

function PlaceSelect({ companyName, value, onChange }: PlaceProps) {
  const organizations = useQuery(organizationTreeQuery).data ?? []
  const nameOf = nameAmong(namesakesIn(organizations))
  return (
    <Select
      label="Belongs to"
      description={
        value
          ? 'Sees this organization and nothing else: for people of a customer.'
          : 'Works for the company itself, and looks after its organizations.'
      }
      searchable
      limit={50}
      allowDeselect={false}
      openOnFocus={false}
      data={[{ value: '', label: companyName }, ...organizations.map((one) => ({ value: one.id, label: nameOf(one) }))]}
      value={value}
      onChange={(next) => onChange(next ?? '')}
    />
  )
}

function HowItGoesOut() {
  const mail = useQuery(configQuery).data?.mail
  return (
    <Text size="sm" c="dimmed">
      {mail?.available === false
        ? 'This appliance sends no mail: you get a link to hand over yourself.'
        : 'They get a mail with a link, which is good for 7 days. Whoever has an account already has access at once.'}
    </Text>
  )
}
