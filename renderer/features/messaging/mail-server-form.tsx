import { Button, Group, NumberInput, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { fieldErrorsOf } from '../../lib/error-words.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { FormError } from '../../ui/form-error.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { type MailSettings, saveMailSettings } from './data.ts'

type Smtp = MailSettings['smtp']

const encryptions = [
  { value: 'starttls', label: 'STARTTLS where the server offers it' },
  { value: 'tls', label: 'TLS from the start' },
]
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

export function MailServerForm({ smtp }: { smtp: Smtp }) {
  const form = useForm<Values>({
    initialValues: valuesOf(smtp),
    validate: {
      host: (host) => (host.trim() ? null : 'Enter the name of the mail server'),
      port: (port) => (Number(port) >= 1 && Number(port) <= 65_535 ? null : 'From 1 to 65535'),
      from: (from) => (from.includes('@') ? null : 'Enter the address mail comes from'),
    },
  })
  const save = useMutation({
    mutationFn: ({ encryption, password, user, port, ...rest }: Values) =>
      saveMailSettings.mutationFn({
        smtp: {
          ...rest,
          port: Number(port),
          secure: encryption === 'tls',
          user: user.trim() || null,
          ...(password && { password }),
        },
      }),
    onSuccess: async () => {
      notifyDone('The mail server is saved; waiting mail goes out now')
      await saveMailSettings.onSuccess()
    },
    onError: (error) => form.setErrors(withoutPrefix(fieldErrorsOf(error))),
  })
  const setEncryption = (next: string | null) => {
    if (next !== 'tls' && next !== 'starttls') return
    // The port follows, unless somebody chose one of their own.
    const isUsual = Number(form.values.port) === usualPorts[form.values.encryption]
    form.setValues({ encryption: next, ...(isUsual && { port: usualPorts[next] }) })
  }
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack gap="sm">
        {!smtp && (
          <Text size="sm" c="dimmed">
            Without a mail server nobody can reset a password or register by themselves.
          </Text>
        )}
        <FormError error={save.error} />
        <TextInput label="Server" placeholder="smtp.example.com" autoComplete="off" {...form.getInputProps('host')} />
        <Select
          label="Encryption"
          data={encryptions}
          allowDeselect={false}
          {...form.getInputProps('encryption')}
          onChange={setEncryption}
        />
        <NumberInput label="Port" min={1} max={65_535} allowDecimal={false} {...form.getInputProps('port')} />
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
          <PasswordField
            label="Password"
            description={smtp?.hasPassword ? 'Leave it empty to keep the present one.' : undefined}
            autoComplete="new-password"
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
        <Group justify="space-between">
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
          {smtp && <RemoveServer />}
        </Group>
      </Stack>
    </form>
  )
}

const withoutPrefix = (errors: Record<string, string>) =>
  Object.fromEntries(Object.entries(errors).map(([field, message]) => [field.replace(/^smtp\./, ''), message]))

function RemoveServer() {
  const remove = useMutation(saveMailSettings)
  const confirm = () =>
    modals.openConfirmModal({
      title: 'Remove the mail server?',
      children: (
        <Text size="sm">
          Mail then waits until there is another one. Nobody can reset a password or register by themselves meanwhile.
        </Text>
      ),
      labels: { confirm: 'Remove the mail server', cancel: 'Keep it' },
      confirmProps: { color: 'red' },
      onConfirm: () =>
        remove.mutate(
          { smtp: null },
          {
            onSuccess: () => notifyDone('The mail server is removed'),
            onError: notifyFailed('The mail server was not removed'),
          },
        ),
    })
  return (
    <Button variant="subtle" color="red" loading={remove.isPending} onClick={confirm}>
      Remove…
    </Button>
  )
}
