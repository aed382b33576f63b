import {
  publicConfig,
  register,
  registerPartner,
  resendVerification,
  verifyEmail,
} from '../../../../shared/api/registration.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { IdentityServices } from '../../people/services.ts'
import { welcome } from '../sign-in/views.ts'

/** Says the same to everybody, whatever becomes of it. */
const accepted = { success: true as const, message: 'If registration can proceed, the next steps are in your mail.' }

export function registrationRoutes(http: Http, services: IdentityServices): void {
  const { addressLinks, cookies, registration, registrationRules, relyingParty, verification } = services
  const { isEnabled, isShown } = registrationRules
  const assertEnabled = () => {
    if (!isEnabled) throw new AppError('not_found')
  }

  http.public(
    registerPartner,
    async ({ actor, body: { companyName, name, email, password } }) => {
      await registration.request({ companyName, name, email, password }, actor.origin)
      return accepted
    },
    assertEnabled,
  )

  http.public(
    register,
    async ({ actor, body }) => {
      await registration.requestNothing(body, actor.origin)
      return accepted
    },
    assertEnabled,
  )

  http.public(verifyEmail, async ({ actor, body, request, reply }) => {
    const verified = await verification.follow(body.token, actor.origin)
    switch (verified.purpose) {
      case 'registration': {
        const { purpose, signedIn, partner } = verified
        return { purpose, verified: true as const, partner, ...(await welcome(signedIn, cookies, request, reply)) }
      }
      case 'existing_account':
        return { ...verified, verified: false as const, status: 'sign_in' as const }
      case 'email_change':
        return { ...verified, verified: true as const }
      case 'address_proof':
        return { ...verified, verified: true as const, autoActivated: false as const }
    }
  })

  http.user(resendVerification, ({ actor }) => {
    addressLinks.resend(actor)
    return { sent: true as const }
  })

  http.public(publicConfig, ({ request }) => ({
    features: { billing: false, support: false },
    registration: { enabled: isEnabled, shown: isEnabled && isShown },
    mail: { available: services.canSendMail() },
    mfa: { enabled: services.isTwoFactorEnabled },
    passkeys: { available: services.isTwoFactorEnabled && relyingParty.at(request) !== null },
  }))
}
