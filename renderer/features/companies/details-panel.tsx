import { Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { Partner } from '../../../shared/api/partners.ts'
import { fieldErrorsOf } from '../../lib/error-words.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { FormError } from '../../ui/form-error.tsx'
import { Panel } from '../../ui/panel.tsx'
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
    <Panel title="Details">
      <form aria-label="Details" onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
        <Stack gap="sm">
          <FormError error={save.error} />
          <CompanyFields form={form} isEditable={isEditable} />
          {isEditable && (
            <Group>
              <Button type="submit" variant="default" loading={save.isPending} disabled={!form.isDirty()}>
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Panel>
  )
}
