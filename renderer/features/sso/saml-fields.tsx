import { Alert, Text, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { SsoPreset } from '../../../shared/api/sso-providers.ts'
import type { ProviderValues } from './provider-values.ts'

interface Props {
  form: UseFormReturnType<ProviderValues>
  preset: SsoPreset | undefined
}

/** These settings are stored, but sign-ins do not use them yet. */
export function SamlFields({ form, preset }: Props) {
  return (
    <>
      <Alert variant="light" color="yellow" p="sm">
        <Text size="sm">Saved for later: Homeport doesn’t support SAML sign-in.</Text>
      </Alert>
      <TextInput label="Name" maxLength={255} {...form.getInputProps('name')} />
      <TextInput label="Entity ID" autoComplete="off" maxLength={500} {...form.getInputProps('entityId')} />
      <TextInput
        label="Sign-in address"
        type="url"
        placeholder={preset?.ssoUrlTemplate ?? ''}
        autoComplete="off"
        maxLength={500}
        {...form.getInputProps('ssoUrl')}
      />
      <Textarea
        label="Certificate"
        description={preset?.certificateInstructions}
        placeholder="-----BEGIN CERTIFICATE-----"
        autosize
        minRows={3}
        maxRows={10}
        maxLength={20_000}
        {...form.getInputProps('certificate')}
      />
    </>
  )
}
