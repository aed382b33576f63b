import { useForm } from '@mantine/form'
import type { Partner } from '../../../shared/api/partners.ts'
import { addCompany } from '../../data/partners.ts'
import { withSlug } from '../../domain/tenants/slug.ts'
import { useSaving } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { bodyOf, CompanyFields, rulesFor, valuesOf } from './partner-fields.tsx'

export function CreateForm({ onDone }: { onDone: (company: Partner) => void }) {
  const form = useForm({ initialValues: valuesOf(), validate: rulesFor() })
  const saving = useSaving(form, {
    mutationFn: (values) => addCompany.mutationFn(bodyOf(withSlug(values))),
    onSuccess: (saved) => {
      onDone(saved)
      return addCompany.onSuccess()
    },
  })
  return (
    <DialogForm saving={saving} action="Create">
      <CompanyFields form={form} isEditable isNew />
    </DialogForm>
  )
}
