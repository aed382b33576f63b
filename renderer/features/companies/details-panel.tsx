import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { Partner } from '../../../shared/api/partners.ts'
import { fieldErrorsOf } from '../../lib/error-words.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { FormError } from '../../ui/form-error.tsx'
import { SavePanel } from '../../ui/save-panel.tsx'
import { changesIn } from '../company/changes.ts'
import { bodyOf, CompanyFields, completed, rules, type Values, valuesOf } from './company-fields.tsx'
import { changeCompanyById } from './data.ts'

export function DetailsPanel({ company, isEditable }: { company: Partner; isEditable: boolean }) {
  const form = useForm({ initialValues: valuesOf(company), validate: rules })
  useUnsaved(form.isDirty())
  const { mutationFn, onSuccess } = changeCompanyById(company.id)
  const save = useMutation({
    mutationFn: (values: Values) => mutationFn(bodyOf(changesIn(completed(values), valuesOf(company)))),
    onSuccess: async (saved) => {
      form.setInitialValues(valuesOf(saved))
      form.setValues(valuesOf(saved))
      notifyDone(`${saved.name} is saved`)
      await onSuccess(saved)
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  return (
    <SavePanel
      title="Details"
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      isEditable={isEditable}
      isDirty={form.isDirty()}
      isPending={save.isPending}
    >
      <FormError error={save.error} />
      <CompanyFields form={form} isEditable={isEditable} />
    </SavePanel>
  )
}
