import { Select, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type MailSettings, removeMailServer, type SmtpSettings } from '../../data/messaging.ts'
import { inRange } from '../../lib/number-range.ts'
import { NumberField } from '../../ui/number-field.tsx'
import { ProviderPanels, type ProviderSettings } from './provider-panels.tsx'
import { RemoveProvider } from './remove-provider.tsx'
import { SecretField } from './secret-field.tsx'

type Smtp = MailSettings['smtp']

const encryptions = [
  { value: 'starttls', label: 'STARTTLS if the server offers it' },
  { value: 'tls', label: 'TLS' },
]
const ports = { min: 1, max: 65_535 }
const usualPorts = { starttls: 587, tls: 465 }

const valuesOf = (smtp: Smtp) => ({
  host: smtp?.host ?? '',
  port: (smtp?.port ?? 587) as number | string,
  encryption: smtp?.secure ? ('tls' as const) : ('starttls' as const),
  verifyCertificate: smtp?.verifyCertificate ?? true,
  user: smtp?.user ?? '',
  password: '',
  from: smtp?.from ?? '',
})
type Values = Omit<ReturnType<typeof valuesOf>, 'encryption'> & { encryption: 'starttls' | 'tls' }

const settingsOf = ({ encryption, password, user, port, ...rest }: Values): SmtpSettings => ({
  ...rest,
  port: Number(port),
  secure: encryption === 'tls',
  user: user.trim() || null,
  ...(password && { password }),
})

/** As on the server: the stored password is only used with the host and user that it was entered for. */
function storedFor(smtp: Smtp, { host, port, user, verifyCertificate }: Values): 'kept' | 'void' | null {
  if (!smtp?.hasPassword) return null
  const isKnown = verifyCertificate || !smtp.verifyCertificate
  const isSame = smtp.host === host.trim() && smtp.port === Number(port) && smtp.user === user.trim()
  return isKnown && isSame ? 'kept' : 'void'
}

type Props = { smtp: Smtp } & Pick<ProviderSettings<SmtpSettings>, 'save' | 'outcome' | 'test'>

export function MailServerForm({ smtp, ...frame }: Props) {
  const form = useForm<Values>({
    initialValues: valuesOf(smtp),
    validate: {
      host: (host) => (host.trim() ? null : 'Enter the mail server’s name'),
      port: inRange(ports),
      password: (password, values) =>
        !values.user.trim() || password || storedFor(smtp, values) === 'kept'
          ? null
          : 'Enter the password for this user and server',
      from: (from) => (from.includes('@') ? null : 'Enter a sender address'),
    },
  })
  const setEncryption = (next: string | null) => {
    if (next !== 'tls' && next !== 'starttls') return
    // The port follows the encryption unless the user chose another one.
    const isUsual = Number(form.values.port) === usualPorts[form.values.encryption]
    form.setValues({ encryption: next, ...(isUsual && { port: usualPorts[next] }) })
  }
  return (
    <ProviderPanels
      title="Mail server"
      head={
        !smtp && (
          <Text size="sm" c="dimmed">
            Without a mail server, people can’t reset their passwords or register.
          </Text>
        )
      }
      form={form}
      settingsOf={settingsOf}
      isStored={smtp !== null}
      remove={
        smtp && (
          <RemoveProvider what="mail server" remove={removeMailServer}>
            Email will wait until a mail server is set up. Until then, people can’t reset their passwords or register.
          </RemoveProvider>
        )
      }
      {...frame}
    >
      <TextInput label="Server" placeholder="smtp.example.com" autoComplete="off" {...form.getInputProps('host')} />
      <Select
        label="Encryption"
        data={encryptions}
        allowDeselect={false}
        {...form.getInputProps('encryption')}
        onChange={setEncryption}
      />
      <NumberField label="Port" range={ports} {...form.getInputProps('port')} />
      <Switch
        label="Verify certificate"
        description="Turn off only for a server on your own network with a self-signed certificate."
        {...form.getInputProps('verifyCertificate', { type: 'checkbox' })}
      />
      <TextInput
        label="Username"
        description="Leave empty if the server doesn’t require one."
        autoComplete="off"
        {...form.getInputProps('user')}
      />
      {form.values.user.trim() && (
        <SecretField
          label="Password"
          stored={storedFor(smtp, form.values)}
          boundTo="another server, port or username, or for a verified certificate"
          {...form.getInputProps('password')}
        />
      )}
      <TextInput
        label="From"
        description="An address, optionally with a name."
        placeholder="Homeport <homeport@example.com>"
        autoComplete="off"
        {...form.getInputProps('from')}
      />
    </ProviderPanels>
  )
}
