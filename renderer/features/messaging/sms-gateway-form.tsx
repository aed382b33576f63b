import { Anchor, Code, Select, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { SmsProvider, SmsSettings } from '../../data/messaging.ts'
import { ProviderPanels, type ProviderSettings } from './provider-panels.tsx'
import { SecretField } from './secret-field.tsx'

type Gateway = SmsSettings['gateway']
type Format = 'json' | 'form'
type Values = {
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

const settingsOf = ({ headerName, headerValue, ...rest }: Values) => ({
  provider: 'gateway' as const,
  ...rest,
  headerName: headerName.trim() || null,
  ...(headerValue && { headerValue }),
})

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : null)
const storedFor = (gateway: Gateway, url: string) =>
  gateway?.hasHeaderValue ? (originOf(gateway.url) === originOf(url.trim()) ? 'kept' : 'void') : null

/** Any service that sends a text message by an HTTPS request. */
export function SmsGatewayForm({ gateway, ...frame }: ProviderSettings<SmsProvider> & { gateway: Gateway }) {
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
        template.includes('{{to}}') && template.includes('{{text}}') ? null : 'Must contain {{to}} and {{text}}',
      headerValue: (value, { headerName, url }) =>
        !headerName.trim() || value || storedFor(gateway, url) === 'kept' ? null : 'Enter the header’s value',
    },
  })
  const setFormat = (next: string | null) => {
    if (next !== 'json' && next !== 'form') return
    const isExample = Object.values(examples).includes(form.values.template)
    form.setValues({ format: next, ...(isExample && { template: examples[next] }) })
  }
  return (
    <ProviderPanels form={form} settingsOf={settingsOf} isStored={gateway !== null} {...frame}>
      <TextInput
        label="Address"
        description="Each message is sent as one POST request to this address."
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
        label="Request body"
        description={
          <>
            <Code>{'{{to}}'}</Code> is replaced by the phone number, <Code>{'{{text}}'}</Code> by the message.
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
          Use the example
        </Anchor>
      )}
      <Text size="sm" fw={500} mt="xs">
        Authentication header
      </Text>
      <TextInput
        label="Header name"
        description="Leave empty if the gateway doesn’t require one."
        placeholder="Authorization"
        autoComplete="off"
        {...form.getInputProps('headerName')}
      />
      {form.values.headerName.trim() && (
        <SecretField
          label="Header value"
          stored={storedFor(gateway, form.values.url)}
          boundTo="another server"
          {...form.getInputProps('headerValue')}
        />
      )}
    </ProviderPanels>
  )
}
