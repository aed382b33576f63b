import { PasswordInput, type PasswordInputProps } from '@mantine/core'

/** A password field whose visibility button is focusable and whose error is announced. */
export function PasswordField({ error, ...field }: PasswordInputProps) {
  return (
    <PasswordInput
      error={error}
      aria-invalid={Boolean(error)}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
      {...field}
    />
  )
}
