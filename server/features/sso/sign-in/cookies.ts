import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { equalSecrets, type Secrets } from '../../../platform/secrets.ts'
import { requestLifeMs } from './authorization-requests.ts'
import { grantLifeMs } from './callback-sign-in.ts'

const kinds = {
  /** Binds an authorization request to the browser that began it. `lax`, because another site redirects to the callback. */
  state: {
    name: 'svc_sso_state',
    purpose: 'sso-login-state',
    path: '/api/v1/sso/callback',
    sameSite: 'lax',
    maxAge: requestLifeMs / 1000,
  },
  /** Binds a one-time code to the browser it was issued to: the address that contains it could be made up. */
  exchange: {
    name: 'svc_sso_exchange',
    purpose: 'sso-exchange-code',
    path: '/api/v1/sso/exchange',
    sameSite: 'strict',
    maxAge: grantLifeMs / 1000,
  },
} as const

type Kind = keyof typeof kinds

/** Cookies that bind values in an address to the browser they were issued to. */
export class BindingCookies {
  readonly #secrets: Pick<Secrets, 'browserBinding'>
  readonly #isSecure: () => boolean

  /** @param isSecure whether browsers connect by https; over plain HTTP they drop a `Secure` cookie */
  constructor(secrets: Pick<Secrets, 'browserBinding'>, isSecure: () => boolean) {
    this.#secrets = secrets
    this.#isSecure = isSecure
  }

  set(reply: FastifyReply, kind: Kind, value: string): void {
    reply.setCookie(kinds[kind].name, this.#bindingOf(kind, value), this.#attributes(kind))
  }

  clear(reply: FastifyReply, kind: Kind): void {
    reply.setCookie(kinds[kind].name, '', { ...this.#attributes(kind), maxAge: 0 })
  }

  matches(request: FastifyRequest, kind: Kind, value: string): boolean {
    return equalSecrets(request.cookies[kinds[kind].name] ?? '', this.#bindingOf(kind, value))
  }

  #bindingOf(kind: Kind, value: string): string {
    return this.#secrets.browserBinding(kinds[kind].purpose, value)
  }

  #attributes(kind: Kind) {
    const { path, sameSite, maxAge } = kinds[kind]
    return { path, sameSite, maxAge, httpOnly: true, secure: this.#isSecure() }
  }
}
