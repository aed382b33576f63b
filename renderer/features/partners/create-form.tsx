import { useForm } from '@mantine/form'
import type { Partner } from '../../../shared/api/partners.ts'
import { addPartner } from '../../data/partners.ts'
import { withSlug } from '../../domain/tenants/slug.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { bodyOf, PartnerFields, rulesFor, valuesOf } from './partner-fields.tsx'

export function CreateForm({ onDone }: { onDone: (partner: Partner) => void }) {
  const form = useForm({ initialValues: valuesOf(), validate: rulesFor() })
  const saving = useFormSubmission(form, {
    mutationFn: (values) => addPartner.mutationFn(bodyOf(withSlug(values))),
    onSuccess: (saved) => {
      onDone(saved)
      return addPartner.onSuccess()
    },
  })
  return (
    <DialogForm saving={saving} action="Create">
      <PartnerFields form={form} isEditable isNew />
    </DialogForm>
  )
}
