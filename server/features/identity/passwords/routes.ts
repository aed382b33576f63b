import { changePassword, checkResetLink, forgotPassword, resetPassword } from '../../../../shared/api/passwords.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { IdentityServices } from '../services.ts'

export function passwordRoutes(http: Http, { cookies, passwordChanges, resetLinks }: IdentityServices): void {
  http.public(forgotPassword, async ({ actor, body }) => {
    await resetLinks.request(body.email, actor.origin)
    return { success: true as const, message: 'If there is such an account, a mail with a link is on its way.' }
  })

  http.public(checkResetLink, ({ actor, body }) => resetLinks.check(body.token, actor.origin))

  http.public(resetPassword, async ({ actor, body }) => {
    await passwordChanges.reset(body.token, body.password, actor.origin)
    return { success: true as const, message: 'The password is set. Sign in with it.' }
  })

  http.user(changePassword, async ({ actor, body, request, reply }) => {
    await passwordChanges.change(actor, body.currentPassword, body.newPassword)
    cookies.clear(request, reply)
    return { success: true as const, message: 'The password is changed. Sign in again.' }
  })
}
