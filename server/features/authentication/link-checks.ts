import { AppError } from '../../platform/errors.ts'
import type { LinkChecks } from '../messaging/index.ts'
import { InvalidLink } from './email-address/invalid-link.ts'

/** Turns functions that open a link without using it up, and throw where it does not work, into checks. */
export const checksBy = (open: { [Kind in keyof LinkChecks]: (token: string) => unknown }): LinkChecks => ({
  email_verification: (token) => succeeds(() => open.email_verification(token)),
  invite: (token) => succeeds(() => open.invite(token)),
  password_reset: (token) => succeeds(() => open.password_reset(token)),
  pending_registration: (token) => succeeds(() => open.pending_registration(token)),
})

function succeeds(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof AppError || error instanceof InvalidLink) return false
    throw error
  }
}
