import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { type PsaConnection, type PsaProvider, psaProvider } from '../../../shared/api/psa.ts'
import { addConnection, changeConnection } from '../../data/psa.ts'
import { credentialKindsOf, credentialOf, psaProviderNames } from '../../domain/psa/psa-providers.ts'
import { fieldErrorsOf } from '../../lib/error-messages.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { FormError } from '../../ui/form-error.tsx'
import { PasswordField } from '../../ui/password-field.tsx'

const providers = psaProvider.options.map((value) => ({ value, label: psaProviderNames[value] }))

/** Stored secrets are never returned: an empty field keeps them. */
export function ConnectionForm({ connection, onDone }: { connection?: PsaConnection; onDone: () => void }) {
  const isNew = !connection
  const form = useForm({
    initialValues: {
      provider: connection?.provider ?? ('connectwise' as PsaProvider),
      name: connection?.name ?? '',
      baseUrl: '',
      kind: '0',
      secrets: {} as Record<string, string>,
    },
    validate: {
      name: (name) => (name.trim() ? null : 'Enter a name'),
      baseUrl: (address) =>
        address.trim() || isNew
          ? isHttps(address.trim())
            ? null
            : 'Enter an address that starts with https://'
          : null,
    },
  })
  useUnsavedChanges(form.isDirty())
  const kinds = credentialKindsOf(form.values.provider)
  const kind = kinds[Number(form.values.kind)] ?? kinds[0]
  const keys = kind?.keys ?? []
  const save = useMutation({
    mutationFn: ({ provider, name, baseUrl, secrets }: typeof form.values) => {
      const given = Object.entries({ ...pick(secrets, keys), baseUrl }).filter(([, text]) => text.trim())
      const credentials = Object.fromEntries(given.map(([key, text]) => [key, text.trim()]))
      if (!connection) return addConnection.mutationFn({ provider, name, credentials })
      return changeConnection(connection.id).mutationFn({ name, ...(given.length > 0 && { credentials }) })
    },
    onSuccess: async ({ name }) => {
      onDone()
      notifyDone(isNew ? `${name} connected. Test it to check whether it responds.` : `${name} saved`)
      await addConnection.onSuccess()
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  const submit = form.onSubmit((values) => {
    const missing = isNew ? keys.filter((key) => !values.secrets[key]?.trim()) : []
    if (missing.length === 0) return save.mutate(values)
    form.setErrors(Object.fromEntries(missing.map((key) => [`secrets.${key}`, 'Enter it'])))
  })
  const setProvider = (provider: string | null) =>
    provider && form.setValues({ provider: provider as PsaProvider, kind: '0', secrets: {} })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <FormError error={save.error} />
        <Select
          label="Ticket system"
          data={providers}
          allowDeselect={false}
          readOnly={!isNew}
          {...form.getInputProps('provider')}
          onChange={setProvider}
        />
        <TextInput
          label="Name"
          description="How it’s called in Homeport."
          data-autofocus
          maxLength={255}
          {...form.getInputProps('name')}
        />
        <TextInput
          label="Address"
          type="url"
          placeholder="https://tickets.example.com"
          description={!isNew && `${keepHint} Another server needs all credentials below again.`}
          {...form.getInputProps('baseUrl')}
          error={form.errors.baseUrl ?? form.errors.credentials}
        />
        {kinds.length > 1 && (
          <Select label="Signs in with" data={kinds} allowDeselect={false} {...form.getInputProps('kind')} />
        )}
        {keys.map((key) => {
          const { label, isSecret } = credentialOf(key)
          const Field = isSecret ? PasswordField : TextInput
          const props = form.getInputProps(`secrets.${key}`)
          return (
            <Field
              key={key}
              label={label}
              description={!isNew && keepHint}
              autoComplete={isSecret ? 'new-password' : 'off'}
              {...props}
              value={form.values.secrets[key] ?? ''}
            />
          )
        })}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {isNew ? 'Connect' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const keepHint = 'Leave empty to keep the current one.'

const isHttps = (text: string) => URL.canParse(text) && new URL(text).protocol === 'https:'

const pick = (from: Record<string, string>, keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, from[key] ?? '']))
