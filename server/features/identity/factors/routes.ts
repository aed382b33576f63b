import { mfaEnable, mfaSetup } from '../../../../shared/api/mfa.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { IdentityServices } from '../services.ts'
import { tokensView } from '../sessions/sessions.ts'

export function factorRoutes(http: Http, services: IdentityServices): void {
  const { cookies, totp } = services
  /** A box that was told to do without second factors has none of their addresses. */
  const assertOffered = () => {
    if (!services.isTwoFactorEnabled) throw new AppError('not_found')
  }

  http.user(mfaSetup, ({ actor, body }) => {
    assertOffered()
    return totp.setup(actor, body?.currentPassword)
  })

  http.user(mfaEnable, async ({ actor, body, request, reply }) => {
    assertOffered()
    const { issued, recoveryCodes } = await totp.enable(actor, body.code, body)
    cookies.set(request, reply, issued)
    return { success: true as const, message: 'The second factor is on', recoveryCodes, tokens: tokensView(issued) }
  })
}
