import { Text, TextInput, type TextInputProps, VisuallyHidden } from '@mantine/core'
import type { Way } from '../sso/use-identity-providers.ts'

interface Props {
  field: TextInputProps
  hasFocus: boolean
  /** What the address led to. */
  found: Way | null
  onTyped: (email: string) => void
  onLeft: (email: string) => void
}

/** The address of who signs in; passkeys are suggested there. */
export function EmailField({ field, hasFocus, found, onTyped, onLeft }: Props) {
  return (
    <div>
      <TextInput
        label="E-mail"
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
      {/* Tells it also to whoever does not see that a button has come. */}
      <div role="status">
        {found?.enforceSSO && (
          <Text size="sm" mt={6} style={{ overflowWrap: 'anywhere' }}>
            People of your organization sign in with {found.providerName}.
          </Text>
        )}
        {found && !found.enforceSSO && <VisuallyHidden>You can also sign in with {found.providerName}.</VisuallyHidden>}
      </div>
    </div>
  )
}
