import { type PasswordInputProps, Stack } from '@mantine/core'
import { PasswordField } from './password-field.tsx'
import { PasswordStrength } from './password-strength.tsx'

type Props = Omit<PasswordInputProps, 'about'> & { value: string; about: readonly string[] }

/** The field in which somebody chooses a password; `about` is what others know of them. */
export function NewPassword({ about, value, ...field }: Props) {
  return (
    <Stack gap={6}>
      <PasswordField label="Password" name="new-password" autoComplete="new-password" value={value} {...field} />
      <PasswordStrength password={value} about={about} />
    </Stack>
  )
}

/** Typed once more: a slip of the finger shows before it locks somebody out. */
export function SamePassword(field: PasswordInputProps) {
  return <PasswordField label="The same once more" name="new-password-again" autoComplete="new-password" {...field} />
}
