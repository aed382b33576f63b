import { useForm } from '@mantine/form'
import type { Partner } from '../../../shared/api/partners.ts'
import { changePartner } from '../../data/partners.ts'
import { withSlug } from '../../domain/tenants/slug.ts'
import { changedValues } from '../../lib/changed-values.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { FormError } from '../../ui/form-error.tsx'
import { SavePanel } from '../../ui/save-panel.tsx'
import { bodyOf, PartnerFields, rulesFor, valuesOf } from './partner-fields.tsx'

export function DetailsPanel({ partner, isEditable }: { partner: Partner; isEditable: boolean }) {
  const form = useForm({ initialValues: valuesOf(partner), validate: rulesFor(partner) })
  const { mutationFn, onSuccess } = changePartner(partner.id)
  const saving = useFormSubmission(form, {
    mutationFn: (values) => mutationFn(bodyOf(changedValues(withSlug(values), valuesOf(partner)))),
    onSuccess: async (saved) => {
      form.setInitialValues(valuesOf(saved))
      form.setValues(valuesOf(saved))
      notifyDone(`${saved.name} saved`)
      await onSuccess(saved)
    },
  })
  return (
    <SavePanel
      title="Details"
      onSubmit={saving.submit}
      onDiscard={saving.discard}
      isEditable={isEditable}
      isDirty={form.isDirty()}
      isPending={saving.isPending}
    >
      <FormError error={saving.error} />
      <PartnerFields form={form} isEditable={isEditable} />
    </SavePanel>
  )
}
