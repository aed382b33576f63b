import {
  enrollmentOptions,
  mfaDisable,
  mfaEnable,
  mfaSetup,
  phoneConfirm,
  phoneVerify,
  rotateRecoveryCodes,
  smsEnable,
  stepUp as stepUpEndpoint,
  stepUpSms,
} from '../../../../shared/api/mfa.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { RelyingParty } from '../relying-party/relying-party.ts'
import { refreshCookie, type SessionCookies } from '../sessions/cookies.ts'
import { tokensView } from '../sessions/token-pairs.ts'
import type { OwnFactors } from './own-factors.ts'
import type { Phone } from './phone.ts'
import type { StepUp } from './step-up.ts'
import type { TotpSetup } from './totp-setup.ts'
import { codeSent, enrolledView } from './views.ts'

const success = true as const

interface Services {
  cookies: SessionCookies
  ownFactors: OwnFactors
  phone: Phone
  relyingParty: RelyingParty
  stepUp: StepUp
  totpSetup: TotpSetup
}

export function factorRoutes(http: Http, services: Services): void {
  authenticatorRoutes(http, services)
  phoneRoutes(http, services)
  stepUpRoutes(http, services)
}

function authenticatorRoutes(http: Http, { cookies, totpSetup, ownFactors, relyingParty }: Services): void {
  http.user(enrollmentOptions, ({ actor, request }) => ({
    ...ownFactors.options(actor),
    passkeyAddresses: relyingParty.at(request) ? null : relyingParty.addressesFor(request),
  }))

  http.user(mfaSetup, ({ actor, body }) => totpSetup.setup(actor, body ?? {}))

  http.user(mfaEnable, async ({ actor, body, request, reply }) =>
    enrolledView(await totpSetup.enable(actor, body.code, body), cookies, request, reply),
  )

  http.user(rotateRecoveryCodes, async ({ actor, body, request, reply }) => {
    const rotated = await ownFactors.rotateRecoveryCodes(actor, body ?? {})
    return { ...enrolledView(rotated, cookies, request, reply), message: 'The old recovery codes no longer work' }
  })

  http.user(mfaDisable, async ({ actor, body, request, reply }) => {
    const issued = await ownFactors.disable(actor, body, request.cookies[refreshCookie])
    cookies.set(request, reply, issued)
    return { success, message: 'Two-factor authentication is off', tokens: tokensView(issued) }
  })
}

function phoneRoutes(http: Http, { cookies, phone }: Services): void {
  http.user(phoneVerify, async ({ actor, body }) => {
    await phone.verify(actor, body.phoneNumber, body.currentPassword)
    return codeSent
  })

  http.user(phoneConfirm, async ({ actor, body, request, reply }) => {
    const issued = await phone.confirm(actor, body.phoneNumber, body.code, body)
    if (issued) cookies.set(request, reply, issued)
    return { success, message: 'The phone number is confirmed' }
  })

  http.user(smsEnable, async ({ actor, body, request, reply }) =>
    enrolledView(await phone.enableSms(actor, body ?? {}), cookies, request, reply),
  )
}

function stepUpRoutes(http: Http, { stepUp }: Services): void {
  http.user(stepUpEndpoint, async ({ actor, body }) => {
    const passkeyId = body.operation === 'delete_passkey' ? (body.passkeyId ?? null) : null
    const { stepUpGrantId, accessToken } = await stepUp.grant(actor, body, body.operation, passkeyId)
    return { stepUpGrantId, tokens: tokensView({ accessToken }) }
  })

  http.user(stepUpSms, async ({ actor }) => {
    await stepUp.sendSms(actor)
    return codeSent
  })
}
