import { login, logout, mfaVerify } from '../../../../shared/api/auth.ts'
import { enrolling, smsSend } from '../../../../shared/api/mfa.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { StepUp } from '../factors/step-up.ts'
import type { TotpSetup } from '../factors/totp-setup.ts'
import { codeSent, enrolledView } from '../factors/views.ts'
import type { RelyingParty } from '../relying-party/relying-party.ts'
import { knownBrowserCookie, refreshCookie, type SessionCookies } from '../sessions/cookies.ts'
import { tokensView } from '../sessions/token-pairs.ts'
import type { PasswordSignIn } from './password-sign-in.ts'
import type { SecondStep } from './second-step.ts'
import type { SignOut } from './sign-out.ts'
import { challengeView, signInReply } from './views.ts'

interface Services {
  cookies: SessionCookies
  passwordSignIn: PasswordSignIn
  secondStep: SecondStep
  signOut: SignOut
  relyingParty: RelyingParty
  totpSetup: TotpSetup
  stepUp: StepUp
}

export function signInRoutes(http: Http, services: Services): void {
  const { cookies, passwordSignIn, secondStep, signOut, relyingParty } = services

  http.public(login, async ({ actor, body, request, reply }) => {
    const rpId = relyingParty.at(request)?.id ?? null
    const browser = request.cookies[knownBrowserCookie]
    const context = { origin: actor.origin, rpId, browser, inviteToken: body.inviteToken }
    const outcome = await passwordSignIn.signIn(body.email, body.password, context)
    return 'tempToken' in outcome ? challengeView(outcome) : signInReply(outcome, cookies, request, reply)
  })

  codeRoute(http, services)

  http.public(smsSend, async ({ actor, body }) => {
    await secondStep.sendSms(body.tempToken, actor.origin)
    return codeSent
  })

  http.user(
    logout,
    ({ actor, query, request, reply }) => {
      cookies.clear(request, reply)
      signOut.ofActor(actor, { sessionId: actor.sessionId, orgId: actor.orgId, reach: query.reach })
      return { success: true as const }
    },
    async (request, reply) => {
      cookies.clear(request, reply)
      const query = logout.query?.safeParse(request.query)
      if (query?.success) await signOut.ofHolder(request.cookies[refreshCookie], request.origin, query.data.reach)
    },
  )
}

/** With a challenge token a code completes a sign-in; from a signed-in user it confirms a setup or is a step-up. */
function codeRoute(http: Http, { cookies, secondStep, totpSetup, stepUp }: Services): void {
  http.public(mfaVerify, async ({ actor: visitor, body, request, reply }) => {
    const { tempToken, code, method } = body
    if (tempToken !== undefined) {
      const outcome = await secondStep.withCode(tempToken, code, method, visitor.origin)
      return { purpose: 'sign-in' as const, ...(await signInReply(outcome, cookies, request, reply)) }
    }
    const actor = await http.admitUser(request, reply, enrolling)
    if (totpSetup.isConfirmedBy(actor, code, method)) {
      const enrolled = await totpSetup.enable(actor, code, body)
      return { purpose: 'enrollment' as const, ...enrolledView(enrolled, cookies, request, reply) }
    }
    const tokens = tokensView({ accessToken: await stepUp.ofSession(actor, code, method) })
    return { purpose: 'step-up' as const, success: true as const, message: 'Second factor confirmed', tokens }
  })
}
