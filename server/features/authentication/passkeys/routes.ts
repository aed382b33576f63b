import { stepUpOptions } from '../../../../shared/api/mfa.ts'
import {
  deletePasskey,
  listPasskeys,
  mfaPasskeyOptions,
  mfaPasskeyVerify,
  passkeyLogin,
  passkeyLoginOptions,
  passkeyRegisterOptions,
  passkeyRegisterVerify,
  renamePasskey,
} from '../../../../shared/api/passkeys.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { RelyingParty } from '../relying-party/relying-party.ts'
import type { SessionCookies } from '../sessions/cookies.ts'
import { tokensView } from '../sessions/token-pairs.ts'
import { signInReply } from '../sign-in/views.ts'
import type { PasskeyRegistration } from './passkey-registration.ts'
import type { PasskeySignIn } from './passkey-sign-in.ts'
import type { PasskeyStepUp } from './passkey-step-up.ts'
import type { Passkeys } from './passkeys.ts'

interface Services {
  cookies: SessionCookies
  passkeys: Passkeys
  passkeyRegistration: PasskeyRegistration
  passkeySignIn: PasskeySignIn
  passkeyStepUp: PasskeyStepUp
  relyingParty: RelyingParty
}

export function passkeyRoutes(http: Http, services: Services): void {
  ownPasskeyRoutes(http, services)
  passkeySignInRoutes(http, services)
}

function ownPasskeyRoutes(
  http: Http,
  { cookies, passkeys, passkeyRegistration, passkeyStepUp, relyingParty }: Services,
): void {
  http.user(listPasskeys, ({ actor }) => ({ passkeys: passkeys.list(actor) }))

  http.user(passkeyRegisterOptions, async ({ actor, body, request }) => ({
    options: await passkeyRegistration.options(actor, relyingParty.demandedAt(request), body),
  }))

  http.user(passkeyRegisterVerify, async ({ actor, body, request, reply }) => {
    const { issued, passkey, recoveryCodes } = await passkeyRegistration.verify(actor, body.credential, body)
    cookies.set(request, reply, issued)
    return { success: true as const, passkey, ...(recoveryCodes && { recoveryCodes }), tokens: tokensView(issued) }
  })

  http.user(renamePasskey, ({ actor, params, body }) => ({
    success: true as const,
    passkey: passkeys.rename(actor, params.id, body.name),
  }))

  http.user(deletePasskey, async ({ actor, params, body, request, reply }) => {
    const issued = await passkeys.delete(actor, params.id, body)
    cookies.set(request, reply, issued)
    return { success: true as const, tokens: tokensView(issued) }
  })

  http.user(stepUpOptions, async ({ actor, request }) => ({
    options: await passkeyStepUp.options(actor, relyingParty.demandedAt(request)),
  }))
}

function passkeySignInRoutes(http: Http, { cookies, passkeySignIn, relyingParty }: Services): void {
  http.public(mfaPasskeyOptions, async ({ actor, body, request }) => ({
    options: await passkeySignIn.options(body.tempToken, relyingParty.at(request), actor.origin),
  }))

  http.public(mfaPasskeyVerify, async ({ actor, body, request, reply }) => {
    const outcome = await passkeySignIn.answer(body.tempToken, body.credential, actor.origin)
    return signInReply(outcome, cookies, request, reply)
  })

  http.public(passkeyLoginOptions, async ({ actor, request }) => ({
    options: await passkeySignIn.openOptions(relyingParty.at(request), actor.origin),
  }))

  http.public(passkeyLogin, async ({ actor, body, request, reply }) =>
    signInReply(await passkeySignIn.passwordless(body.credential, actor.origin), cookies, request, reply),
  )
}
