import {
  changePassword,
  checkResetLink,
  checkUnlockLink,
  forgotPassword,
  resetPassword,
  unlockAccount,
} from '../../../../shared/api/passwords.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { SessionCookies } from '../sessions/cookies.ts'
import type { PasswordChanges } from './password-changes.ts'
import type { ResetLinks } from './reset-links.ts'
import type { UnlockLinks } from './unlock-links.ts'

interface Services {
  cookies: SessionCookies
  passwordChanges: PasswordChanges
  resetLinks: ResetLinks
  unlockLinks: UnlockLinks
}

export function passwordRoutes(http: Http, services: Services): void {
  const { cookies, passwordChanges, resetLinks, unlockLinks } = services

  http.public(forgotPassword, async ({ actor, body }) => {
    await resetLinks.request(body.email, actor.origin)
    return { success: true as const, message: 'If the account exists, a reset link was created for it.' }
  })

  http.public(checkResetLink, ({ actor, body }) => resetLinks.check(body.token, actor.origin))

  http.public(resetPassword, async ({ actor, body }) => {
    await passwordChanges.reset(body.token, body.password, actor.origin)
    return { success: true as const, message: 'The password was set. Sign in with it.' }
  })

  http.public(checkUnlockLink, ({ actor, body }) => unlockLinks.check(body.token, actor.origin))

  http.public(unlockAccount, async ({ actor, body, request, reply }) => {
    const user = unlockLinks.unlock(body.token, actor.origin)
    // An attack that continues locks unknown browsers again, but not this one.
    await cookies.remember(request, reply, user)
    return { success: true as const, message: 'The account is unlocked. Sign in again.' }
  })

  http.user(changePassword, async ({ actor, body, request, reply }) => {
    const user = await passwordChanges.change(actor, body.currentPassword, body.newPassword)
    cookies.clear(request, reply)
    await cookies.remember(request, reply, user)
    return { success: true as const, message: 'The password was changed. Sign in again.' }
  })
}
