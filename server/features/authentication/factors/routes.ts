import type { FastifyReply, FastifyRequest } from 'fastify'
import { mfaVerify } from '../../../../shared/api/auth.ts'
import {
  enrollmentOptions,
  mfaDisable,
  mfaEnable,
  mfaSetup,
  phoneConfirm,
  phoneVerify,
  rotateRecoveryCodes,
  smsEnable,
  smsSend,
  stepUp as stepUpEndpoint,
  stepUpSms,
} from '../../../../shared/api/mfa.ts'
import type { UserAccess } from '../../../../shared/endpoint.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { IdentityServices } from '../../people/services.ts'
import { refreshCookie, type SessionCookies } from '../sessions/cookies.ts'
import { type Issued, tokensView } from '../sessions/token-pairs.ts'
import { welcome } from '../sign-in/views.ts'

const success = true as const
const sent = { success, message: 'The code is on its way' }

export function factorRoutes(http: Http, services: IdentityServices): void {
  verifyRoute(http, services)
  authenticatorRoutes(http, services)
  phoneRoutes(http, services)
  stepUpRoutes(http, services)
}

/** With a challenge it ends a sign-in, with a bearer it confirms a setup or steps the session up. */
function verifyRoute(http: Http, { cookies, secondStep, totp, stepUp }: IdentityServices): void {
  http.public(mfaVerify, async ({ actor: visitor, body, request, reply }) => {
    const { tempToken, code, method } = body
    if (tempToken !== undefined) {
      const outcome = await secondStep.withCode(tempToken, code, method, visitor.origin)
      return { purpose: 'sign-in' as const, ...(await welcome(outcome, cookies, request, reply)) }
    }
    const actor = await http.admitUser(request, reply, mfaEnable.access as UserAccess)
    if (totp.isConfirmedBy(actor, code, method)) {
      const enrolled = await totp.enable(actor, code, body)
      return { purpose: 'enrollment' as const, ...enrolledView(enrolled, cookies, request, reply) }
    }
    const tokens = tokensView({ accessToken: await stepUp.ofSession(actor, code, method) })
    return { purpose: 'step-up' as const, success, message: 'The second factor was right', tokens }
  })
}

function authenticatorRoutes(http: Http, { cookies, totp, ownFactors, relyingParty }: IdentityServices): void {
  http.user(enrollmentOptions, ({ actor, request }) => ({
    ...ownFactors.options(actor),
    passkeyAddresses: relyingParty.at(request) ? null : relyingParty.addresses(),
  }))

  http.user(mfaSetup, ({ actor, body }) => totp.setup(actor, body ?? {}))

  http.user(mfaEnable, async ({ actor, body, request, reply }) =>
    enrolledView(await totp.enable(actor, body.code, body), cookies, request, reply),
  )

  http.user(rotateRecoveryCodes, async ({ actor, body, request, reply }) => {
    const rotated = await ownFactors.rotateRecoveryCodes(actor, body ?? {})
    return { ...enrolledView(rotated, cookies, request, reply), message: 'The old recovery codes no longer work' }
  })

  http.user(mfaDisable, async ({ actor, body, request, reply }) => {
    const issued = await ownFactors.disable(actor, body, request.cookies[refreshCookie])
    cookies.set(request, reply, issued)
    return { success, message: 'The second factor is off', tokens: tokensView(issued) }
  })
}

function phoneRoutes(http: Http, { cookies, phone, secondStep }: IdentityServices): void {
  http.user(phoneVerify, async ({ actor, body }) => {
    await phone.verify(actor, body.phoneNumber, body.currentPassword)
    return sent
  })

  http.user(phoneConfirm, async ({ actor, body, request, reply }) => {
    const issued = await phone.confirm(actor, body.phoneNumber, body.code, body)
    if (issued) cookies.set(request, reply, issued)
    return { success, message: 'The phone number is confirmed' }
  })

  http.user(smsEnable, async ({ actor, body, request, reply }) =>
    enrolledView(await phone.enableSms(actor, body ?? {}), cookies, request, reply),
  )

  http.public(smsSend, async ({ actor, body }) => {
    await secondStep.sendSms(body.tempToken, actor.origin)
    return sent
  })
}

function stepUpRoutes(http: Http, { stepUp }: IdentityServices): void {
  http.user(stepUpEndpoint, async ({ actor, body }) => {
    const passkeyId = body.operation === 'delete_passkey' ? (body.passkeyId ?? null) : null
    const { stepUpGrantId, accessToken } = await stepUp.grant(actor, body, body.operation, passkeyId)
    return { stepUpGrantId, tokens: tokensView({ accessToken }) }
  })

  http.user(stepUpSms, async ({ actor }) => {
    await stepUp.sendSms(actor)
    return sent
  })
}

/** The answer that turns a factor on: codes shown once, and the session's fresh pair. */
function enrolledView(
  { issued, recoveryCodes }: { issued: Issued; recoveryCodes: string[] },
  cookies: SessionCookies,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  cookies.set(request, reply, issued)
  return { success, message: 'The second factor is on', recoveryCodes, tokens: tokensView(issued) }
}
