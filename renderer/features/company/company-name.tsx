import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { Partner } from '../../../shared/api/partners.ts'
import { fieldErrorsOf } from '../../lib/error-words.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { FormError } from '../../ui/form-error.tsx'
import { changeCompany } from './data.ts'

export function CompanyName({ company, isEditable }: { company: Partner; isEditable: boolean }) {
  const form = useForm({
    initialValues: { name: company.name },
    validate: { name: (name) => (name.trim() ? null : 'Enter a name') },
  })
  useUnsaved(form.isDirty())
  const save = useMutation({
    ...changeCompany,
    onSuccess: async (saved) => {
      form.setValues({ name: saved.name })
      form.resetDirty()
      notifyDone('The name is saved')
      await changeCompany.onSuccess(saved)
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  return (
    <form onSubmit={form.onSubmit(({ name }) => save.mutate({ name: name.trim() }))} noValidate>
      <Stack gap="sm">
        <FormError error={save.error} />
        <TextInput
          label="Name of the company"
          description="It stands above every page and in mail."
          maxLength={255}
          readOnly={!isEditable}
          {...form.getInputProps('name')}
        />
        {isEditable && (
          <Group>
            <Button type="submit" variant="default" loading={save.isPending} disabled={!form.isDirty()}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}
