import { useForm } from '@mantine/form'
import type { Partner } from '../../../shared/api/partners.ts'
import { useSaving } from '../../lib/use-saving.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { withSlug } from '../organizations/slug.ts'
import { bodyOf, CompanyFields, rulesFor, valuesOf } from './company-fields.tsx'
import { addCompany } from './data.ts'

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
