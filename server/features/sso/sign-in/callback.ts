import { ClientError, ResponseBodyError } from 'openid-client'
import type { Database } from '../../../db/database.ts'
import { type Origin, systemActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import type { Log } from '../../../platform/log.ts'
import { OutboundError } from '../outbound/index.ts'
import { type AuthorizationRequest, aboutProvider, findProvider, type Provider } from '../provider/store.ts'
import { allowedDomains } from '../providers/allowed-domains.ts'
import type { Assertion } from './assertion.ts'
import type { AuthorizationRequests } from './authorization-requests.ts'
import type { CallbackSignIn } from './callback-sign-in.ts'
import type { CompleteLink } from './complete-link.ts'
import { currentProvider } from './current-provider.ts'
import { linkErrorCodeOf, Refusal } from './refusal.ts'
import { emailDomain } from './resolution.ts'
import { returnPath } from './return-path.ts'
import type { Verification } from './verification.ts'

/** The request with which a browser comes back from the identity provider; a repeated parameter is a list. */
export interface CallbackRequest {
  parameters: Partial<Record<'code' | 'state' | 'error', string | string[]>>
  /** The query as it was sent. */
  query: string
  /** Whether the browser has the cookie of the authorization request with this state. */
  isBound: (state: string) => boolean
  origin: Origin
}

export interface CallbackOutcome {
  location: string
  /** The one-time code in it, if the sign-in succeeded. */
  code?: string
}

interface Dependencies {
  db: Database
  log: Log
  audit: Audit
  authorizations: AuthorizationRequests
  verification: Verification
  callbackSignIn: CallbackSignIn
  completeLink: CompleteLink
}

/** The callback of an identity provider, which ends a sign-in or a connection of an account. */
export class Callback {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Where to redirect the browser. Never throws: the browser is always sent to a page of this appliance. */
  async handle(request: CallbackRequest): Promise<CallbackOutcome> {
    try {
      return await this.#handle(request)
    } catch (error) {
      this.#dependencies.log.error({ requestId: request.origin.requestId, err: error }, 'a single sign-on failed')
      return signInPage('sso_error')
    }
  }

  async #handle(request: CallbackRequest): Promise<CallbackOutcome> {
    const { state, code, error } = request.parameters
    const isCallback = typeof state === 'string' && state !== '' && (code !== undefined || error !== undefined)
    if (!isCallback) return signInPage('invalid_callback')
    // Without the cookie the state is not used up: it belongs to another browser.
    const authorization = request.isBound(state) ? this.#dependencies.authorizations.take(state) : undefined
    if (!authorization) return signInPage('session_expired')
    try {
      return await this.#continue(authorization, request)
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal('sso_error', 'unexpected', { cause: error })
      this.#record(authorization, refusal, request.origin)
      if (authorization.mode === 'login') return signInPage(refusal.code)
      return { location: `/settings/profile?ssoLinkError=${linkErrorCodeOf(refusal.code)}` }
    }
  }

  async #continue(
    authorization: AuthorizationRequest,
    { parameters, query, origin }: CallbackRequest,
  ): Promise<CallbackOutcome> {
    const { db, authorizations, verification, callbackSignIn, completeLink } = this.#dependencies
    if (parameters.error !== undefined) throw new Refusal('sso_error', 'declined', { cause: declined(query) })
    // Parsed as openid-client parses it, so that both see the same code.
    if (!authorizations.isNew(new URLSearchParams(query).get('code') ?? '')) throw new Refusal('sso_error', 'used_code')
    const provider = currentProvider(db, authorization)
    const assertion = await verification.verify(provider, authorization, query)
    assertDomainAllowed(provider, assertion)
    if (authorization.mode === 'link') return { location: completeLink(authorization, assertion, origin) }
    const code = callbackSignIn.admit(authorization, assertion, origin)
    return { location: `${returnPath(authorization.redirect_url)}#ssoCode=${encodeURIComponent(code)}`, code }
  }

  /** The reason goes into the audit log for the administrators of the provider; the browser gets the code only. */
  #record({ provider_id, mode }: AuthorizationRequest, refusal: Refusal, origin: Origin): void {
    const { db, log, audit } = this.#dependencies
    const { code, reason, phase, cause } = refusal
    const about = { requestId: origin.requestId, providerId: provider_id, mode, refusal: code, reason }
    if (reason === 'unexpected') log.error({ ...about, err: cause }, 'a single sign-on failed')
    else log.info({ ...about, cause: summaryOf(cause) }, 'a single sign-on was refused')
    const provider = findProvider(db, provider_id)
    if (!provider || !phase) return
    audit(systemActor('sso-callback', origin), {
      ...aboutProvider(provider),
      action: 'sso.callback.rejected',
      details: { mode, phase, reason, partnerId: provider.partner_id },
      result: 'denied',
    })
  }
}

const signInPage = (code: string): CallbackOutcome => ({ location: `/login?error=${code}` })

function assertDomainAllowed({ allowed_domains }: Provider, { email }: Assertion): void {
  const allowed = allowedDomains(allowed_domains)
  const domain = emailDomain(email)
  if (allowed && (domain === null || !allowed.has(domain))) throw new Refusal('domain_not_allowed')
}

/** The error parameters of the callback, which anybody can make up: for the log only, and shortened. */
function declined(query: string): Error {
  const parameters = new URLSearchParams(query)
  const [error, description] = [parameters.get('error'), parameters.get('error_description')]
  return new Error(`${error?.slice(0, 100)}: ${description?.slice(0, 200)}`)
}

/** Errors of openid-client contain the responses they are about, tokens among them, which must not be logged. */
function summaryOf(error: unknown): unknown {
  if (error instanceof ClientError) return [error.code, error.message, summaryOf(error.cause)]
  if (error instanceof ResponseBodyError) return [error.status, error.error.slice(0, 100)]
  if (error instanceof OutboundError) return [error.code, error.message]
  return error instanceof Error ? error.message : undefined
}
