import {
  type MailDelivery,
  publicConfig,
  register,
  registerPartner,
  resendVerification,
  updateRegistration,
  verifyEmail,
} from '../../../../shared/api/registration.ts'
import type { Config } from '../../../config/config.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { AddressLinks } from '../email-address/address-links.ts'
import type { RelyingParty } from '../relying-party/relying-party.ts'
import type { SessionCookies } from '../sessions/cookies.ts'
import { signInReply } from '../sign-in/views.ts'
import type { EmailVerification } from './email-verification.ts'
import type { Registration } from './registration.ts'
import type { RegistrationSetting } from './registration-setting.ts'

/** The same answer whether or not there is an account with that address. */
const accepted = { success: true as const, message: 'If registration can proceed, the next steps are in your email.' }

interface Services {
  config: Pick<Config, 'registration' | 'isTwoFactorEnabled'>
  mailDelivery: () => MailDelivery
  addressLinks: AddressLinks
  cookies: SessionCookies
  emailVerification: EmailVerification
  registration: Registration
  registrationSetting: RegistrationSetting
  relyingParty: RelyingParty
}

export function registrationRoutes(http: Http, services: Services): void {
  const { addressLinks, cookies, emailVerification, registration, registrationSetting } = services
  const assertOpen = () => {
    if (!registrationSetting.isOpen()) throw new AppError('not_found')
  }

  http.public(
    registerPartner,
    async ({ actor, body: { companyName, name, email, password } }) => {
      await registration.request({ companyName, name, email, password }, actor.origin)
      return accepted
    },
    assertOpen,
  )

  http.public(
    register,
    async ({ actor, body }) => {
      await registration.requestNothing(body, actor.origin)
      return accepted
    },
    assertOpen,
  )

  http.public(verifyEmail, async ({ actor, body, request, reply }) => {
    const verified = await emailVerification.follow(body.token, actor.origin)
    switch (verified.purpose) {
      case 'registration': {
        const { purpose, signedIn, partner } = verified
        return { purpose, verified: true as const, partner, ...(await signInReply(signedIn, cookies, request, reply)) }
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

  http.user(updateRegistration, ({ actor, body: { open } }) => {
    registrationSetting.change(actor, open)
    return { success: true as const }
  })

  publicConfigRoute(http, services)
}

function publicConfigRoute(http: Http, services: Services): void {
  const { config, mailDelivery, registrationSetting, relyingParty } = services
  http.public(publicConfig, ({ request }) => ({
    features: { billing: false, support: false },
    registration: {
      enabled: registrationSetting.isOpen(),
      // Nobody registers without the link in the mail.
      shown: registrationSetting.isOpen() && config.registration.isShown && mailDelivery() !== 'none',
      setByEnvironment: registrationSetting.isSetByEnvironment,
    },
    mail: { delivery: mailDelivery() },
    mfa: { enabled: config.isTwoFactorEnabled },
    passkeys: { available: config.isTwoFactorEnabled && relyingParty.at(request) !== null },
  }))
}
