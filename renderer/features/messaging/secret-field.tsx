import type { PasswordInputProps } from '@mantine/core'
import { PasswordField } from '../../ui/password-field.tsx'

interface Props extends PasswordInputProps {
  /** What happens to the stored secret if the field stays empty; null if there is none. */
  stored: 'kept' | 'void' | null
  /** What the stored secret is bound to, such as "another server or user". */
  boundTo: string
}

/** A secret that the API never returns, and that is only used with what it was entered for. */
export function SecretField({ stored, boundTo, ...field }: Props) {
  const about = {
    kept: 'Leave empty to keep the current one.',
    void: `The saved one is for ${boundTo}. Enter the right one for these settings.`,
  }
  return <PasswordField description={stored && about[stored]} autoComplete="new-password" {...field} />
}
