import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { changeDevice } from '../../data/devices.ts'
import { fieldErrorsOf } from '../../lib/error-messages.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { FormError } from '../../ui/form-error.tsx'

export function RenameForm({ device, onDone }: { device: DeviceDetail; onDone: () => void }) {
  const form = useForm({ initialValues: { displayName: device.displayName ?? '' } })
  const { mutationFn, onSuccess } = changeDevice(device.id)
  useUnsavedChanges(form.isDirty())
  const save = useMutation({
    mutationFn,
    onSuccess: async () => {
      onDone()
      await onSuccess()
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  return (
    <form onSubmit={form.onSubmit(({ displayName }) => save.mutate({ displayName: displayName.trim() || null }))}>
      <Stack>
        <FormError error={save.error} />
        <TextInput
          label="Display name"
          description={`Leave empty to show the hostname, ${device.hostname}.`}
          maxLength={255}
          data-autofocus
          {...form.getInputProps('displayName')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
