import { type PasswordInputProps, Stack } from '@mantine/core'
import { passwordProblem } from '../../shared/fields.ts'
import { PasswordField } from './password-field.tsx'
import { PasswordStrength } from './password-strength.tsx'

type Props = Omit<PasswordInputProps, 'about'> & { value: string; about: readonly string[] }

/** The field in which somebody chooses a password; `about` is what others know of them. */
export function NewPassword({ about, value, error, ...field }: Props) {
  return (
    <Stack gap={6}>
      <PasswordField
        label="Password"
        name="new-password"
        autoComplete="new-password"
        value={value}
        error={error}
        {...field}
      />
      <PasswordStrength password={value} about={about} isExplained={Boolean(error)} />
    </Stack>
  )
}

/** Typed twice: a slip of the finger shows before it locks somebody out. */
export function RepeatedPassword(field: PasswordInputProps) {
  return <PasswordField label="Repeat the password" name="new-password-again" autoComplete="new-password" {...field} />
}

/** A form in which a password is chosen and typed twice. */
export const newPasswordForm = {
  initialValues: { password: '', again: '' },
  validate: {
    password: passwordProblem,
    again: (again: string, { password }: { password: string }) => repetitionError(again, password),
  },
}

export function repetitionError(repeated: string, password: string): string | null {
  if (repeated === password) return null
  return repeated === '' ? 'Type the password once more' : 'This is not the same password'
}
