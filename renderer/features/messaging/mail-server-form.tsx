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
  { value: 'starttls', label: 'STARTTLS where the server offers it' },
  { value: 'tls', label: 'TLS from the start' },
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
      host: (host) => (host.trim() ? null : 'Enter the name of the mail server'),
      port: inRange(ports),
      password: (password, values) =>
        !values.user.trim() || password || storedFor(smtp, values) === 'kept'
          ? null
          : 'Enter the password of this user at this server',
      from: (from) => (from.includes('@') ? null : 'Enter the address mail comes from'),
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
            Without a mail server nobody can reset a password or register by themselves.
          </Text>
        )
      }
      form={form}
      settingsOf={settingsOf}
      isStored={smtp !== null}
      remove={
        smtp && (
          <RemoveProvider what="mail server" remove={removeMailServer}>
            Mail then waits until there is another one. Nobody can reset a password or register by themselves meanwhile.
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
        label="Check the certificate of the server"
        description="Off only for a server in the house whose certificate nobody can check."
        {...form.getInputProps('verifyCertificate', { type: 'checkbox' })}
      />
      <TextInput
        label="User"
        description="Leave it empty if the server asks for none."
        autoComplete="off"
        {...form.getInputProps('user')}
      />
      {form.values.user.trim() && (
        <SecretField
          label="Password"
          stored={storedFor(smtp, form.values)}
          boundTo="another server, port or user, or for a checked certificate"
          {...form.getInputProps('password')}
        />
      )}
      <TextInput
        label="Sender"
        description="An address, with or without a name."
        placeholder="Homeport <homeport@example.com>"
        autoComplete="off"
        {...form.getInputProps('from')}
      />
    </ProviderPanels>
  )
}
