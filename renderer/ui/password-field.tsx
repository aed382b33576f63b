import { PasswordInput, type PasswordInputProps } from '@mantine/core'

/** A password whose "show" is within reach of the keyboard, and which says that it is wrong to those who listen. */
export function PasswordField({ error, ...field }: PasswordInputProps) {
  return (
    <PasswordInput
      error={error}
      aria-invalid={Boolean(error)}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed' }}
      {...field}
    />
  )
}
