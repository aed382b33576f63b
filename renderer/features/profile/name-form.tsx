import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { changeProfile } from '../../data/profile.ts'
import { fieldErrorsOf } from '../../lib/error-messages.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { FormError } from '../../ui/form-error.tsx'

export function NameForm({ name }: { name: string }) {
  const form = useForm({
    initialValues: { name },
    validate: { name: (value) => (value.trim() ? null : 'Enter your name') },
  })
  useUnsavedChanges(form.isDirty())
  const save = useMutation({
    ...changeProfile,
    onSuccess: async (saved) => {
      form.setValues({ name: saved.name })
      form.resetDirty()
      notifyDone('Name saved')
      await changeProfile.onSuccess()
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate({ name: values.name.trim() }))} noValidate>
      <Stack gap="sm">
        <FormError error={save.error} />
        <TextInput
          label="Your name"
          description="Shown to others."
          autoComplete="name"
          maxLength={255}
          {...form.getInputProps('name')}
        />
        <Group>
          <Button type="submit" variant="default" loading={save.isPending} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
