import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../platform/errors.ts'
import { equalSecrets } from '../../../platform/secrets.ts'
import type { User } from '../../access/index.ts'
import { type KnownBrowsers, knownBrowserSeconds } from './known-browsers.ts'
import type { IssuedTokens } from './token-pairs.ts'
import { refreshTokenSeconds } from './tokens.ts'

export const refreshCookie = 'svc_refresh_token'
export const csrfCookie = 'svc_csrf_token'
/** Is kept when a session ends. */
export const knownBrowserCookie = 'svc_known_browser'
const refreshPath = '/api/v1/auth'

export interface CookieRules {
  sameSite: 'lax' | 'strict' | 'none'
  forceSecure: boolean
  allowedOrigins: readonly string[]
}

/** The cookies of a session (refresh token and CSRF token), and the one that marks a known browser. */
export class SessionCookies {
  readonly #rules: CookieRules
  readonly #knownBrowsers: KnownBrowsers

  constructor(rules: CookieRules, knownBrowsers: KnownBrowsers) {
    this.#rules = rules
    this.#knownBrowsers = knownBrowsers
  }

  set(request: FastifyRequest, reply: FastifyReply, issued: IssuedTokens): void {
    const attributes = this.#attributes(request)
    reply.setCookie(refreshCookie, issued.refreshToken, { ...attributes, path: refreshPath, httpOnly: true })
    reply.setCookie(csrfCookie, issued.csrfToken, { ...attributes, path: '/' })
  }

  clear(request: FastifyRequest, reply: FastifyReply): void {
    const attributes = { ...this.#attributes(request), maxAge: 0 }
    reply.setCookie(refreshCookie, '', { ...attributes, path: refreshPath, httpOnly: true })
    reply.setCookie(csrfCookie, '', { ...attributes, path: '/' })
  }

  /** Marks this browser as one that the user has signed in from. */
  async remember(request: FastifyRequest, reply: FastifyReply, user: User): Promise<void> {
    const value = await this.#knownBrowsers.remember(request.cookies[knownBrowserCookie], user)
    const attributes = { ...this.#attributes(request), maxAge: knownBrowserSeconds }
    reply.setCookie(knownBrowserCookie, value, { ...attributes, path: refreshPath, httpOnly: true })
  }

  /**
   * CSRF check of the refresh endpoint, by double submit: a page of another site can make the browser send the refresh
   * cookie, but can neither set this header nor read the CSRF cookie. A client that is no browser only has to send the
   * header.
   * @throws AppError `missing_csrf_header`, `missing_csrf_cookie`, `invalid_csrf_token`, `invalid_origin`,
   *   `cross_site_request`
   */
  assertSameSite(request: FastifyRequest): void {
    const header = headerOf(request, 'x-svc-csrf')
    if (!header) throw new AppError('missing_csrf_header')
    const origin = headerOf(request, 'origin')
    const site = headerOf(request, 'sec-fetch-site')
    if (!origin && !site) return
    const cookie = request.cookies[csrfCookie]
    if (!cookie) throw new AppError('missing_csrf_cookie')
    if (!equalSecrets(cookie, header)) throw new AppError('invalid_csrf_token')
    if (origin && !this.#isAllowed(origin, request)) throw new AppError('invalid_origin')
    if (site && site !== 'same-origin' && site !== 'same-site') throw new AppError('cross_site_request')
  }

  #isAllowed(origin: string, request: FastifyRequest): boolean {
    const scheme = request.origin.isSecure ? 'https' : 'http'
    return origin === `${scheme}://${request.headers.host}` || this.#rules.allowedOrigins.includes(origin)
  }

  // Browsers drop a Secure cookie that comes over plain HTTP, and the next reload would sign the user out.
  #attributes(request: FastifyRequest) {
    const { sameSite, forceSecure } = this.#rules
    const secure = request.origin.isSecure || forceSecure || sameSite === 'none'
    return { sameSite, secure, maxAge: refreshTokenSeconds }
  }
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return (Array.isArray(value) ? value[0] : value)?.trim() || undefined
}
