import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { SmsProvider, SmsSettings } from '../../data/messaging.ts'
import { ProviderPanels, type ProviderSettings } from './provider-panels.tsx'
import { SecretField } from './secret-field.tsx'

type Twilio = SmsSettings['twilio']
const valuesOf = (twilio: Twilio) => ({ accountSid: twilio?.accountSid ?? '', authToken: '', from: twilio?.from ?? '' })
type Values = ReturnType<typeof valuesOf>

const settingsOf = ({ authToken, ...rest }: Values) => ({
  provider: 'twilio' as const,
  ...rest,
  ...(authToken && { authToken }),
})

const storedFor = (twilio: Twilio, accountSid: string) =>
  twilio && (twilio.accountSid === accountSid.trim() ? 'kept' : 'void')

export function TwilioForm({ twilio, ...frame }: ProviderSettings<SmsProvider> & { twilio: Twilio }) {
  const form = useForm({
    initialValues: valuesOf(twilio),
    validate: {
      accountSid: (sid) => (/^AC[0-9a-f]{32}$/i.test(sid.trim()) ? null : 'Must be AC followed by 32 hex digits'),
      authToken: (token, { accountSid }) =>
        token || storedFor(twilio, accountSid) === 'kept' ? null : 'Enter this account’s auth token',
      from: (from) => (from.trim() ? null : 'Enter a number or the ID of a messaging service'),
    },
  })
  return (
    <ProviderPanels form={form} settingsOf={settingsOf} isStored={twilio !== null} {...frame}>
      <TextInput
        label="Account SID"
        classNames={{ input: 'mono' }}
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps('accountSid')}
      />
      <SecretField
        label="Auth token"
        stored={storedFor(twilio, form.values.accountSid)}
        boundTo="another account"
        {...form.getInputProps('authToken')}
      />
      <TextInput
        label="Sender"
        description="A number of the account, for example +15550001234, or the ID of a messaging service (MG…)."
        autoComplete="off"
        {...form.getInputProps('from')}
      />
    </ProviderPanels>
  )
}
