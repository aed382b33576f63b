import { ClientError, ResponseBodyError } from 'openid-client'
import type { Database } from '../../../db/database.ts'
import { type Origin, systemActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import type { Log } from '../../../platform/log.ts'
import { OutboundError } from '../outbound/index.ts'
import { allowedDomains } from '../providers/allowed-domains.ts'
import { aboutProvider, findProvider, type Journey, type Provider } from '../store.ts'
import type { Assertion } from './assertion.ts'
import type { Entrance } from './entrance.ts'
import type { FinishLink } from './finish-link.ts'
import type { Journeys } from './journeys.ts'
import { liveProvider } from './live.ts'
import { linkErrorCodeOf, Refusal } from './refusal.ts'
import { emailDomain } from './resolution.ts'
import { returnPath } from './return-path.ts'
import type { Verification } from './verification.ts'

/** What a browser brings back from the identity provider; each parameter as often as it stands in the address. */
export interface Arrival {
  parameters: Partial<Record<'code' | 'state' | 'error', string | string[]>>
  /** All of it, as it was sent. */
  query: string
  /** The browser is the one that was sent away with this state. */
  isBound: (state: string) => boolean
  origin: Origin
}

export interface Landing {
  location: string
  /** The one-time code in it, if somebody may come in. */
  code?: string
}

interface Parts {
  db: Database
  log: Log
  audit: Audit
  journeys: Journeys
  verification: Verification
  entrance: Entrance
  finishLink: FinishLink
}

/** The end of the way through an identity provider, check by check. */
export class Callback {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Where the browser goes on; always somewhere on this appliance, also while nothing can be written here. */
  async arrive(arrival: Arrival): Promise<Landing> {
    try {
      return await this.#take(arrival)
    } catch (error) {
      this.#parts.log.error({ requestId: arrival.origin.requestId, err: error }, 'a single sign-on failed')
      return signInPage('sso_error')
    }
  }

  async #take(arrival: Arrival): Promise<Landing> {
    const { state, code, error } = arrival.parameters
    const isCallback = typeof state === 'string' && state !== '' && (code !== undefined || error !== undefined)
    if (!isCallback) return signInPage('invalid_callback')
    // Not taken from whoever began it, if somebody else brings it.
    const journey = arrival.isBound(state) ? this.#parts.journeys.take(state) : undefined
    if (!journey) return signInPage('session_expired')
    try {
      return await this.#goOn(journey, arrival)
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal('sso_error', 'unexpected', { cause: error })
      this.#record(journey, refusal, arrival.origin)
      if (journey.mode === 'login') return signInPage(refusal.code)
      return { location: `/settings/profile?ssoLinkError=${linkErrorCodeOf(refusal.code)}` }
    }
  }

  async #goOn(journey: Journey, { parameters, query, origin }: Arrival): Promise<Landing> {
    const { db, journeys, verification, entrance, finishLink } = this.#parts
    if (parameters.error !== undefined) throw new Refusal('sso_error', 'declined', { cause: declined(query) })
    // Read as the library reads it, or one could be spelled so that the two differ.
    if (!journeys.isNew(new URLSearchParams(query).get('code') ?? '')) throw new Refusal('sso_error', 'used_code')
    const provider = liveProvider(db, journey)
    const assertion = await verification.of(provider, journey, query)
    assertDomainAllowed(provider, assertion)
    if (journey.mode === 'link') return { location: finishLink(journey, assertion, origin) }
    const code = entrance.enter(journey, assertion, origin)
    return { location: `${returnPath(journey.redirect_url)}#ssoCode=${encodeURIComponent(code)}`, code }
  }

  /** Who looks after the provider reads why; the browser is told no more than the code. */
  #record({ provider_id, mode }: Journey, refusal: Refusal, origin: Origin): void {
    const { db, log, audit } = this.#parts
    const { code, reason, phase, cause } = refusal
    const about = { requestId: origin.requestId, providerId: provider_id, mode, refusal: code, reason }
    if (reason === 'unexpected') log.error({ ...about, err: cause }, 'a single sign-on failed')
    else log.info({ ...about, cause: inWords(cause) }, 'a single sign-on was refused')
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

const signInPage = (code: string): Landing => ({ location: `/login?error=${code}` })

function assertDomainAllowed({ allowed_domains }: Provider, { email }: Assertion): void {
  const allowed = allowedDomains(allowed_domains)
  const domain = emailDomain(email)
  if (allowed && (domain === null || !allowed.has(domain))) throw new Refusal('domain_not_allowed')
}

/** What the provider says, or somebody who made the address up: for the log only, and not at any length. */
function declined(query: string): Error {
  const parameters = new URLSearchParams(query)
  const [error, description] = [parameters.get('error'), parameters.get('error_description')]
  return new Error(`${error?.slice(0, 100)}: ${description?.slice(0, 200)}`)
}

/** Errors of the library carry the answers they are about, tokens among them: these stay out of the log. */
function inWords(error: unknown): unknown {
  if (error instanceof ClientError) return [error.code, error.message, inWords(error.cause)]
  if (error instanceof ResponseBodyError) return [error.status, error.error.slice(0, 100)]
  if (error instanceof OutboundError) return [error.code, error.message]
  return error instanceof Error ? error.message : undefined
}
