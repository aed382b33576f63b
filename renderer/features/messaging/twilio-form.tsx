import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { fieldErrorsOf } from '../../lib/error-words.ts'
import { notifyDone } from '../../lib/notify.ts'
import { FormError } from '../../ui/form-error.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { type SmsSettings, saveSmsSettings } from './data.ts'

export function TwilioForm({ twilio, remove }: { twilio: SmsSettings['twilio']; remove: ReactNode }) {
  const form = useForm({
    initialValues: { accountSid: twilio?.accountSid ?? '', authToken: '', from: twilio?.from ?? '' },
    validate: {
      accountSid: (sid) => (/^AC[0-9a-f]{32}$/i.test(sid.trim()) ? null : 'It looks like AC and 32 hex digits'),
      authToken: (token) => (token || twilio ? null : 'Enter the auth token'),
      from: (from) => (from.trim() ? null : 'Enter a number or the id of a messaging service'),
    },
  })
  const save = useMutation({
    mutationFn: ({ authToken, ...rest }: typeof form.values) =>
      saveSmsSettings.mutationFn({ provider: 'twilio', ...rest, ...(authToken && { authToken }) }),
    onSuccess: async () => {
      notifyDone('Text messages go through Twilio now')
      await saveSmsSettings.onSuccess()
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack gap="sm">
        <FormError error={save.error} />
        <TextInput
          label="Account SID"
          classNames={{ input: 'mono' }}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('accountSid')}
        />
        <PasswordField
          label="Auth token"
          description={twilio?.hasAuthToken ? 'Leave it empty to keep the present one.' : undefined}
          autoComplete="new-password"
          {...form.getInputProps('authToken')}
        />
        <TextInput
          label="Sender"
          description="A number of the account, such as +15550001234, or the id of a messaging service (MG…)."
          autoComplete="off"
          {...form.getInputProps('from')}
        />
        <Group justify="space-between">
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
          {remove}
        </Group>
      </Stack>
    </form>
  )
}
