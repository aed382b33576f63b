import type { Actor } from '../../../platform/actor.ts'
import type { User } from '../../access/users/store.ts'

export type CodeMethod = 'totp' | 'sms' | 'recovery'

/** Uses a right answer up, inside the transaction of what it lets somebody do; refuses if that happened meanwhile. */
export type Consume = (actor: Actor) => void

export const sixDigits = /^\d{6}$/

/** Six digits answer the primary method, anything else is a recovery code; null when that is a passkey. */
export function methodOf(code: string, user: User): CodeMethod | null {
  if (!sixDigits.test(code)) return 'recovery'
  return user.mfa_method === 'passkey' ? null : user.mfa_method
}
