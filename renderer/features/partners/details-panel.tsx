import { useForm } from '@mantine/form'
import type { Partner } from '../../../shared/api/partners.ts'
import { changeCompanyById } from '../../data/partners.ts'
import { withSlug } from '../../domain/tenants/slug.ts'
import { changesIn } from '../../lib/changed-values.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useSaving } from '../../lib/use-form-submission.ts'
import { FormError } from '../../ui/form-error.tsx'
import { SavePanel } from '../../ui/save-panel.tsx'
import { bodyOf, CompanyFields, rulesFor, valuesOf } from './partner-fields.tsx'

export function DetailsPanel({ company, isEditable }: { company: Partner; isEditable: boolean }) {
  const form = useForm({ initialValues: valuesOf(company), validate: rulesFor(company) })
  const { mutationFn, onSuccess } = changeCompanyById(company.id)
  const saving = useSaving(form, {
    mutationFn: (values) => mutationFn(bodyOf(changesIn(withSlug(values), valuesOf(company)))),
    onSuccess: async (saved) => {
      form.setInitialValues(valuesOf(saved))
      form.setValues(valuesOf(saved))
      notifyDone(`${saved.name} is saved`)
      await onSuccess(saved)
    },
  })
  return (
    <SavePanel
      title="Details"
      onSubmit={saving.submit}
      isEditable={isEditable}
      isDirty={form.isDirty()}
      isPending={saving.isPending}
    >
      <FormError error={saving.error} />
      <CompanyFields form={form} isEditable={isEditable} />
    </SavePanel>
  )
}
