import type { UserRow } from '../../../shared/api/people.ts'
import { plural } from '../../lib/format.ts'

/** Factors besides the password, such as "App, 2 passkeys". */
export function factorText({ totp, sms, passkeys }: UserRow['factors']): string {
  const words = [
    totp && 'app',
    sms && 'texts',
    passkeys === 1 ? 'passkey' : passkeys > 1 && plural(passkeys, 'passkey'),
  ]
  const text = words.filter(Boolean).join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
