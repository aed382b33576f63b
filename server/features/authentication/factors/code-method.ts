import type { Actor } from '../../../platform/actor.ts'
import type { User } from '../../access/index.ts'

export type CodeMethod = 'totp' | 'sms' | 'recovery'

/**
 * Uses a correct answer up, inside the transaction of what it authorizes.
 * @throws AppError if it was used meanwhile
 */
export type ConsumeProof = (actor: Actor) => void

export const sixDigits = /^\d{6}$/

/** Six digits are a code of the user's primary factor, anything else is a recovery code; null if that factor is a passkey. */
export function codeMethodOf(code: string, user: User): CodeMethod | null {
  if (!sixDigits.test(code)) return 'recovery'
  return user.mfa_method === 'passkey' ? null : user.mfa_method
}
