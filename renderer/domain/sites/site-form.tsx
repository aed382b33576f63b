import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import type { Site } from '../../../shared/api/sites.ts'
import { addSite, changeSite } from '../../data/sites.ts'
import { useMe } from '../../lib/session.ts'
import { browserTimeZone } from '../../lib/time-zones.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { TimeZoneSelect } from '../../ui/time-zone-select.tsx'
import { SameSiteNameHint } from './same-site-name.tsx'

interface Props {
  orgId: string
  /** Undefined to create one. */
  site?: Pick<Site, 'id' | 'name' | 'timezone'>
  /** An alternative to the form, such as a link. */
  otherwise?: ReactNode
  onDone: (site: Pick<Site, 'id' | 'name'>) => void
}

export function SiteForm({ orgId, site, otherwise, onDone }: Props) {
  const { partnerTimezone } = useMe()
  const form = useForm({
    initialValues: { name: site?.name ?? '', timezone: site?.timezone ?? partnerTimezone ?? browserTimeZone() },
    validate: { name: (name) => (name.trim() ? null : 'Enter a name') },
  })
  const saving = useFormSubmission(form, {
    mutationFn: (values) => (site ? changeSite(site.id).mutationFn(values) : addSite.mutationFn({ orgId, ...values })),
    onSuccess: async (saved) => {
      onDone(saved)
      await addSite.onSuccess()
    },
  })
  return (
    <DialogForm saving={saving} action={site ? 'Save' : 'Create'} otherwise={otherwise}>
      <TextInput
        label="Name"
        data-autofocus
        maxLength={255}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        description={<SameSiteNameHint name={form.values.name} orgId={orgId} except={site?.id} />}
        {...form.getInputProps('name')}
      />
      <TimeZoneSelect label="Time zone" {...form.getInputProps('timezone')} />
    </DialogForm>
  )
}
