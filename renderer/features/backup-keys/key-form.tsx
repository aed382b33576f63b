import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { addEncryptionKey } from '../../data/encryption-keys.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'

export function KeyForm({ orgId, onDone }: { orgId: string; onDone: () => void }) {
  const form = useForm<{ name: string }>({
    initialValues: { name: '' },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })
  const { mutationFn, onSuccess } = addEncryptionKey(orgId)
  const saving = useFormSubmission(form, {
    mutationFn: ({ name }) => mutationFn({ name }),
    onSuccess: async () => {
      onDone()
      notifyDone('The key was created')
      await onSuccess()
    },
  })
  return (
    <DialogForm saving={saving} action="Create">
      <TextInput label="Name" maxLength={200} data-autofocus {...form.getInputProps('name')} />
      <Text size="sm" c="dimmed">
        Devices that are backed up for the first time from now on use the new key. To change the key of existing
        backups, rotate it instead.
      </Text>
    </DialogForm>
  )
}
