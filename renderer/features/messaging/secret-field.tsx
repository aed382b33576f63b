import type { PasswordInputProps } from '@mantine/core'
import { PasswordField } from '../../ui/password-field.tsx'

interface Props extends PasswordInputProps {
  /** What becomes of the stored secret when the field stays empty; null when there is none. */
  stored: 'kept' | 'void' | null
  /** What the stored one was entered for, such as "another server or user". */
  boundTo: string
}

/** A secret that never comes back from the appliance, and goes to nobody but whom it was entered for. */
export function SecretField({ stored, boundTo, ...field }: Props) {
  const about = {
    kept: 'Leave it empty to keep the present one.',
    void: `The stored one is for ${boundTo}: enter the one that belongs here.`,
  }
  return <PasswordField description={stored && about[stored]} autoComplete="new-password" {...field} />
}
