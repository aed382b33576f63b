import { type PasswordInputProps, Stack } from '@mantine/core'
import { passwordProblem } from '../../shared/fields.ts'
import { PasswordField } from './password-field.tsx'
import { PasswordStrength } from './password-strength.tsx'

type Props = Omit<PasswordInputProps, 'about'> & { value: string; about: readonly string[] }

/** Field to choose a password; `about` holds texts that others know about the user. */
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

/** Typed twice, so that a typing error does not lock the user out. */
export function RepeatedPassword(field: PasswordInputProps) {
  return <PasswordField label="Repeat password" name="new-password-again" autoComplete="new-password" {...field} />
}

/** Values and rules of a form with a new password and its repetition. */
export const newPasswordForm = {
  initialValues: { password: '', again: '' },
  validate: {
    password: passwordProblem,
    again: (again: string, { password }: { password: string }) => repetitionError(again, password),
  },
}

export function repetitionError(repeated: string, password: string): string | null {
  if (repeated === password) return null
  return repeated === '' ? 'Enter the password again' : 'The passwords don’t match'
}
