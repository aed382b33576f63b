import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { equalSecrets, type Secrets } from '../../../platform/secrets.ts'
import { grantLifeMs } from './entrance.ts'
import { journeyLifeMs } from './journeys.ts'

const kinds = {
  /** The browser that began a sign-in. Comes along when the identity provider, another site, sends it back. */
  state: {
    name: 'svc_sso_state',
    purpose: 'sso-login-state',
    path: '/api/v1/sso/callback',
    sameSite: 'lax',
    maxAge: journeyLifeMs / 1000,
  },
  /** The browser that was given a one-time code, in an address that others can make up. */
  exchange: {
    name: 'svc_sso_exchange',
    purpose: 'sso-exchange-code',
    path: '/api/v1/sso/exchange',
    sameSite: 'strict',
    maxAge: grantLifeMs / 1000,
  },
} as const

type Kind = keyof typeof kinds

/** Tie what stands in an address to the browser it was made for. */
export class BindingCookies {
  readonly #secrets: Pick<Secrets, 'browserBinding'>
  readonly #isSecure: () => boolean

  /** `isSecure`: browsers come by https; over plain HTTP, but for the own machine, they drop a secure cookie. */
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
