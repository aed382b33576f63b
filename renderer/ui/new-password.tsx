import { PasswordInput, type PasswordInputProps, Stack } from '@mantine/core'
import { PasswordStrength } from './password-strength.tsx'

type Props = Omit<PasswordInputProps, 'about'> & { value: string; about: readonly string[] }

/** The field in which somebody chooses a password; `about` is what others know of them. */
export function NewPassword({ about, value, ...field }: Props) {
  return (
    <Stack gap={6}>
      <PasswordInput
        label="Password"
        name="new-password"
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        value={value}
        {...field}
      />
      <PasswordStrength password={value} about={about} />
    </Stack>
  )
}
