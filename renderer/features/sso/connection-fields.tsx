import { Anchor, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { PasswordField } from '../../ui/password-field.tsx'
import { findCustomPart, findIssuer, issuerFromParts } from './issuer.ts'
import type { PresetGuide } from './presets.ts'
import type { ProviderValues } from './provider-values.ts'

interface Props {
  form: UseFormReturnType<ProviderValues>
  guide: PresetGuide
  own?: IssuerInput | undefined
  hasSecret: boolean
}

/** Shown if only the variable part of the issuer is asked for: the text around it, and a way to enter it in full. */
export interface IssuerInput {
  template: string
  onWhole: () => void
}

/** How the appliance finds the identity provider and authenticates there. */
export function ConnectionFields({ form, guide, own, hasSecret }: Props) {
  return (
    <>
      <TextInput
        label="Name"
        description={`The sign-in page says “Sign in with ${form.values.name.trim() || '…'}”.`}
        maxLength={255}
        {...form.getInputProps('name')}
      />
      {own ? (
        <OwnPart form={form} guide={guide} {...own} />
      ) : (
        <TextInput
          label="Issuer"
          type="url"
          description="The identity provider’s address. Homeport discovers the rest from it."
          placeholder={guide.issuer}
          maxLength={500}
          {...form.getInputProps('issuer')}
          onChange={({ currentTarget: { value } }) => form.setFieldValue('issuer', findIssuer(value))}
        />
      )}
      <TextInput
        label="Client ID"
        description={guide.clientId}
        autoComplete="off"
        maxLength={255}
        {...form.getInputProps('clientId')}
      />
      <PasswordField
        label="Client secret"
        description={hasSecret ? 'A secret is saved. Enter a new one to replace it.' : guide.secret}
        placeholder={hasSecret ? '••••••••••••' : ''}
        autoComplete="new-password"
        maxLength={4096}
        {...form.getInputProps('clientSecret')}
      />
    </>
  )
}

function OwnPart({ form, guide, template, onWhole }: Pick<Props, 'form' | 'guide'> & IssuerInput) {
  const { part } = form.values
  return (
    <div>
      <TextInput
        label={guide.part?.label}
        description={guide.part?.about}
        placeholder={guide.part?.placeholder ?? ''}
        autoComplete="off"
        spellCheck={false}
        maxLength={500}
        {...form.getInputProps('part')}
        // A pasted full address is reduced to its variable part.
        onChange={({ currentTarget: { value } }) =>
          form.setFieldValue('part', findCustomPart(template, value) ?? value)
        }
        error={form.errors.part ?? form.errors.issuer}
      />
      <Text size="xs" c="dimmed" mt={4} style={{ overflowWrap: 'anywhere' }}>
        The issuer becomes {issuerFromParts(template, part || '…')}.{' '}
        <Anchor component="button" type="button" inherit c="var(--accent-text)" onClick={onWhole}>
          Enter the full address instead
        </Anchor>
      </Text>
    </div>
  )
}
