import { Text, TextInput, type TextInputProps, VisuallyHidden } from '@mantine/core'
import type { IdentityProvider } from '../../../data/sso-sign-in.ts'

interface Props {
  field: TextInputProps
  hasFocus: boolean
  /** The provider of the typed address. */
  provider: IdentityProvider | null
  onTyped: (email: string) => void
  onLeft: (email: string) => void
}

/** The browser suggests passkeys in this field. */
export function EmailField({ field, hasFocus, provider, onTyped, onLeft }: Props) {
  return (
    <div>
      <TextInput
        label="Email"
        type="email"
        name="email"
        autoComplete="username webauthn"
        autoFocus={hasFocus}
        {...field}
        onChange={(event) => {
          field.onChange?.(event)
          onTyped(event.currentTarget.value)
        }}
        onBlur={(event) => {
          field.onBlur?.(event)
          onLeft(event.currentTarget.value)
        }}
      />
      {/* Announces the provider to screen readers. */}
      <div role="status">
        {provider?.enforceSSO && (
          <Text size="sm" mt={6} style={{ overflowWrap: 'anywhere' }}>
            People of your organization sign in with {provider.providerName}.
          </Text>
        )}
        {provider && !provider.enforceSSO && (
          <VisuallyHidden>You can also sign in with {provider.providerName}.</VisuallyHidden>
        )}
      </div>
    </div>
  )
}
