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
import { AppError } from '../../../platform/errors.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { IdentityServices } from '../services.ts'
import { tokensView } from '../sessions/sessions.ts'
import { welcome } from '../sign-in/views.ts'

export function passkeyRoutes(http: Http, services: IdentityServices): void {
  ownPasskeyRoutes(http, services)
  passkeySignInRoutes(http, services)
}

/** A box that was told to do without second factors has none of these addresses. */
const assertOffered = ({ isTwoFactorEnabled }: IdentityServices) => {
  if (!isTwoFactorEnabled) throw new AppError('not_found')
}

function ownPasskeyRoutes(http: Http, services: IdentityServices): void {
  const { cookies, passkeys, passkeyRegistration, passkeyStepUp, relyingParty } = services

  http.user(listPasskeys, ({ actor }) => {
    assertOffered(services)
    return { passkeys: passkeys.list(actor) }
  })

  http.user(passkeyRegisterOptions, async ({ actor, body, request }) => {
    assertOffered(services)
    return { options: await passkeyRegistration.options(actor, relyingParty.demandedAt(request), body) }
  })

  http.user(passkeyRegisterVerify, async ({ actor, body, request, reply }) => {
    assertOffered(services)
    const { issued, passkey, recoveryCodes } = await passkeyRegistration.verify(actor, body.credential, body)
    cookies.set(request, reply, issued)
    return { success: true as const, passkey, ...(recoveryCodes && { recoveryCodes }), tokens: tokensView(issued) }
  })

  http.user(renamePasskey, ({ actor, params, body }) => {
    assertOffered(services)
    return { success: true as const, passkey: passkeys.rename(actor, params.id, body.name) }
  })

  http.user(deletePasskey, async ({ actor, params, body, request, reply }) => {
    assertOffered(services)
    const issued = await passkeys.delete(actor, params.id, body)
    cookies.set(request, reply, issued)
    return { success: true as const, tokens: tokensView(issued) }
  })

  http.user(stepUpOptions, async ({ actor, request }) => {
    assertOffered(services)
    return { options: await passkeyStepUp.options(actor, relyingParty.demandedAt(request)) }
  })
}

function passkeySignInRoutes(http: Http, services: IdentityServices): void {
  const { cookies, passkeySignIn, relyingParty } = services

  http.public(mfaPasskeyOptions, async ({ actor, body, request }) => {
    assertOffered(services)
    return { options: await passkeySignIn.options(body.tempToken, relyingParty.at(request), actor.origin) }
  })

  http.public(mfaPasskeyVerify, async ({ actor, body, request, reply }) => {
    assertOffered(services)
    const outcome = await passkeySignIn.answer(body.tempToken, body.credential, actor.origin)
    return welcome(outcome, cookies, request, reply)
  })

  http.public(passkeyLoginOptions, async ({ actor, request }) => {
    assertOffered(services)
    return { options: await passkeySignIn.openOptions(relyingParty.at(request), actor.origin) }
  })

  http.public(passkeyLogin, async ({ actor, body, request, reply }) => {
    assertOffered(services)
    return welcome(await passkeySignIn.alone(body.credential, actor.origin), cookies, request, reply)
  })
}
