import { login } from '../../shared/api/auth.ts'
import {
  mfaPasskeyOptions,
  mfaPasskeyVerify,
  passkeyLogin,
  passkeyLoginOptions,
  passkeyRegisterOptions,
  passkeyRegisterVerify,
} from '../../shared/api/passkeys.ts'
import { Authenticator, type Misbehaviour } from '../helpers/authenticator.ts'
import { type Admin, bootstrapped, password } from '../helpers/factories.ts'
import type { TestApp } from '../helpers/test-app.ts'

/** Limits out of the way, so that a test meets only the one it is about. */
export const wide = {
  HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60',
  HOMEPORT_LIMIT_MFA_VERIFY: '0/60',
  HOMEPORT_LIMIT_MFA_SETUP: '0/60',
  HOMEPORT_LIMIT_STEP_UP: '0/60',
  HOMEPORT_LIMIT_CURRENT_PASSWORD: '0/60',
}

/** The headers of a browser at another address of the appliance. */
export const at = (origin: string) => ({ origin, host: new URL(origin).host })

interface Registering {
  name?: string
  headers?: Record<string, string>
  wrong?: Misbehaviour
}

/** Requests the challenge, lets the device answer, and sends the answer. */
export async function register(app: TestApp, token: string, device: Authenticator, how: Registering = {}) {
  const { headers = {}, name, wrong } = how
  const { body, status } = await app.call(
    passkeyRegisterOptions,
    { body: { currentPassword: password, ...(name && { name }) } },
    { token, headers },
  )
  if (status !== 200) throw new Error(`options: ${JSON.stringify(body)}`)
  const credential = device.create(body.options, wrong)
  return app.call(passkeyRegisterVerify, { body: { credential } }, { token, headers })
}

/** An administrator whose only factor is a passkey on a device of its own. */
export async function withPasskey(app: TestApp, device = new Authenticator()) {
  const admin = await bootstrapped(app)
  const { status, body, cookies } = await register(app, admin.token, device)
  if (status !== 200) throw new Error(`register: ${JSON.stringify(body)}`)
  return { admin, device, passkey: body.passkey, recoveryCodes: body.recoveryCodes ?? [], cookies }
}

export async function challenge(app: TestApp, email: string, headers: Record<string, string> = {}) {
  const { body } = await app.call(login, { body: { email, password } }, { headers })
  if (!body.mfaRequired) throw new Error(`no challenge: ${JSON.stringify(body)}`)
  return body
}

export async function optionsFor(app: TestApp, tempToken: string, headers: Record<string, string> = {}) {
  const { body, status } = await app.call(mfaPasskeyOptions, { body: { tempToken } }, { headers })
  if (status !== 200) throw new Error(`options: ${JSON.stringify(body)}`)
  return body.options
}

export const answer = (app: TestApp, tempToken: string, credential: Record<string, unknown>) =>
  app.call(mfaPasskeyVerify, { body: { tempToken, credential } })

/** The whole sign-in with password and passkey. */
export async function signInWith(app: TestApp, admin: Admin, device: Authenticator, wrong: Misbehaviour = {}) {
  const { tempToken } = await challenge(app, admin.email)
  return answer(app, tempToken, device.get(await optionsFor(app, tempToken), wrong))
}

export async function openOptions(app: TestApp, headers: Record<string, string> = {}) {
  const { body, status } = await app.call(passkeyLoginOptions, {}, { headers })
  if (status !== 200) throw new Error(`options: ${JSON.stringify(body)}`)
  return body.options
}

/** Signing in with nothing but the passkey. */
export async function signInAlone(app: TestApp, device: Authenticator, wrong: Misbehaviour = {}) {
  return handIn(app, device.get(await openOptions(app), wrong))
}

export const handIn = (app: TestApp, credential: Record<string, unknown>) =>
  app.call(passkeyLogin, { body: { credential } })
