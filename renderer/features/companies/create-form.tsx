import { Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { Partner } from '../../../shared/api/partners.ts'
import { fieldErrorsOf } from '../../lib/error-words.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { FormError } from '../../ui/form-error.tsx'
import { bodyOf, CompanyFields, completed, rules, valuesOf } from './company-fields.tsx'
import { addCompany } from './data.ts'

/** The short name follows the name until someone writes their own. */
export function CreateForm({ onDone }: { onDone: (company: Partner) => void }) {
  const form = useForm({ initialValues: valuesOf(), validate: rules })
  useUnsaved(form.isDirty())
  const save = useMutation({
    mutationFn: (values: typeof form.values) => addCompany.mutationFn(bodyOf(completed(values))),
    onSuccess: async (saved) => {
      onDone(saved)
      await addCompany.onSuccess()
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack gap="sm">
        <FormError error={save.error} />
        <CompanyFields form={form} isEditable isNew />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
