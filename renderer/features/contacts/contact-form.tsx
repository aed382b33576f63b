import { Checkbox, Group, Select, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type Contact, type ContactRole, contactRole } from '../../../shared/api/contacts.ts'
import { saveContact } from '../../data/contacts.ts'
import { looksLikeEmail } from '../../lib/looks-like-email.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { MultiSelect } from '../../ui/multi-select.tsx'
import { contactRoleNames } from './contact-labels.ts'
import { contactName } from './contact-table.tsx'

const phoneProblem = (text: string) => (!text.trim() || /\d/.test(text) ? null : 'A phone number needs digits')

interface Props {
  orgId: string
  sites: { id: string; name: string }[]
  /** Undefined to create one. */
  contact?: Contact
  /** Site of a new contact. */
  siteId?: string | undefined
  onDone: () => void
}

export function ContactForm({ orgId, sites, contact, siteId, onDone }: Props) {
  const form = useForm({
    initialValues: {
      name: contact?.name ?? '',
      title: contact?.title ?? '',
      email: contact?.email ?? '',
      phone: contact?.phone ?? '',
      mobile: contact?.mobile ?? '',
      roles: contact?.roles ?? [],
      siteId: (contact ? contact.siteId : siteId) ?? '',
      isPrimary: contact?.isPrimary ?? false,
      notes: contact?.notes ?? '',
    },
    validate: {
      name: (name, { email, phone, mobile }) =>
        [name, email, phone, mobile].some((text) => text.trim())
          ? null
          : 'Enter a name, an email address or a phone number',
      email: (email) => (!email.trim() || looksLikeEmail(email) ? null : 'Enter an email address'),
      phone: phoneProblem,
      mobile: phoneProblem,
    },
  })
  const { mutationFn, onSuccess } = saveContact(orgId, contact?.id)
  const saving = useFormSubmission(form, {
    mutationFn: (values) => mutationFn({ ...values, siteId: values.siteId || null }),
    onSuccess: async (saved) => {
      onDone()
      notifyDone(`${contactName(saved.data)} was ${contact ? 'saved' : 'created'}`)
      await onSuccess()
    },
  })
  const siteName = sites.find(({ id }) => id === form.values.siteId)?.name
  return (
    <DialogForm saving={saving} action={contact ? 'Save' : 'Create'}>
      <TextInput label="Name" data-autofocus maxLength={255} {...form.getInputProps('name')} />
      <TextInput label="Job title" maxLength={255} {...form.getInputProps('title')} />
      <TextInput label="Email" type="email" maxLength={320} {...form.getInputProps('email')} />
      <Group grow align="flex-start" preventGrowOverflow={false} wrap="wrap">
        <TextInput label="Phone" type="tel" miw={160} maxLength={64} {...form.getInputProps('phone')} />
        <TextInput label="Mobile" type="tel" miw={160} maxLength={64} {...form.getInputProps('mobile')} />
      </Group>
      <Select
        label="Site"
        searchable
        limit={50}
        allowDeselect={false}
        data={[
          { value: '', label: 'Whole organization' },
          ...sites.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        {...form.getInputProps('siteId')}
      />
      <MultiSelect
        label="Roles"
        description="What to ask this person about."
        data={contactRole.options.map((value) => ({ value, label: contactRoleNames[value] }))}
        {...form.getInputProps('roles')}
        onChange={(roles) => form.setFieldValue('roles', roles as ContactRole[])}
      />
      <Checkbox
        label={`Primary contact of ${siteName ?? 'the organization'}`}
        description="Replaces the current primary contact."
        {...form.getInputProps('isPrimary', { type: 'checkbox' })}
      />
      <Textarea label="Notes" autosize minRows={2} maxRows={8} maxLength={5000} {...form.getInputProps('notes')} />
    </DialogForm>
  )
}
