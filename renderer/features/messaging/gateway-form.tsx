import { Anchor, Button, Code, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { fieldErrorsOf } from '../../lib/error-words.ts'
import { notifyDone } from '../../lib/notify.ts'
import { FormError } from '../../ui/form-error.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { type SmsSettings, saveSmsSettings } from './data.ts'

type Format = 'json' | 'form'
interface Values {
  url: string
  format: Format
  template: string
  headerName: string
  headerValue: string
}

const examples: Record<Format, string> = {
  json: '{\n  "to": "{{to}}",\n  "message": "{{text}}"\n}',
  form: 'to={{to}}&message={{text}}',
}
const formats = [
  { value: 'json', label: 'JSON' },
  { value: 'form', label: 'Form fields' },
]

/** Any service that takes a message by an HTTPS request. */
export function GatewayForm({ gateway, remove }: { gateway: SmsSettings['gateway']; remove: ReactNode }) {
  const form = useForm<Values>({
    initialValues: {
      url: gateway?.url ?? '',
      format: gateway?.format ?? 'json',
      template: gateway?.template ?? examples.json,
      headerName: gateway?.headerName ?? '',
      headerValue: '',
    },
    validate: {
      url: (url) => (/^https:\/\/./.test(url.trim()) ? null : 'Enter an https address'),
      template: (template) =>
        template.includes('{{to}}') && template.includes('{{text}}') ? null : 'It has to hold {{to}} and {{text}}',
      headerValue: (value, { headerName }) =>
        !headerName.trim() || value || gateway?.hasHeaderValue ? null : 'Enter what this header says',
    },
  })
  const save = useMutation({
    mutationFn: ({ headerName, headerValue, ...rest }: Values) =>
      saveSmsSettings.mutationFn({
        provider: 'gateway',
        ...rest,
        headerName: headerName.trim() || null,
        ...(headerValue && { headerValue }),
      }),
    onSuccess: async () => {
      notifyDone('Text messages go through the gateway now')
      await saveSmsSettings.onSuccess()
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  const setFormat = (next: string | null) => {
    if (next !== 'json' && next !== 'form') return
    const isExample = Object.values(examples).includes(form.values.template)
    form.setValues({ format: next, ...(isExample && { template: examples[next] }) })
  }
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack gap="sm">
        <FormError error={save.error} />
        <TextInput
          label="Address"
          description="Each message is one POST request to it."
          placeholder="https://sms.example.com/send"
          autoComplete="off"
          {...form.getInputProps('url')}
        />
        <Select
          label="Format"
          data={formats}
          allowDeselect={false}
          {...form.getInputProps('format')}
          onChange={setFormat}
        />
        <Textarea
          label="Body of the request"
          description={
            <>
              <Code>{'{{to}}'}</Code> becomes the phone number, <Code>{'{{text}}'}</Code> the message.
            </>
          }
          autosize
          minRows={3}
          maxRows={14}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          {...form.getInputProps('template')}
        />
        {form.values.template !== examples[form.values.format] && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            ta="start"
            c="var(--accent-text)"
            onClick={() => form.setFieldValue('template', examples[form.values.format])}
          >
            Start from the example
          </Anchor>
        )}
        <Text size="sm" fw={500} mt="xs">
          A header that lets Homeport in
        </Text>
        <TextInput
          label="Name of the header"
          description="Leave it empty if the gateway asks for none."
          placeholder="Authorization"
          autoComplete="off"
          {...form.getInputProps('headerName')}
        />
        {form.values.headerName.trim() && (
          <PasswordField
            label="Value of the header"
            description={gateway?.hasHeaderValue ? 'Leave it empty to keep the present one.' : undefined}
            autoComplete="new-password"
            {...form.getInputProps('headerValue')}
          />
        )}
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
