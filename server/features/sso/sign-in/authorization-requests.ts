import { randomUUIDv7 } from 'node:crypto'
import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, hour, iso, isoNow, minute } from '../../../platform/clock.ts'
import { sha256 } from '../../../platform/secrets.ts'
import type { AuthorizationRequest, Provider } from '../provider/store.ts'
import type { Clients } from './clients.ts'

export const requestLifeMs = 10 * minute
/** Longer than any identity provider accepts one of its codes. */
const codeLifeMs = hour

/** The user who connects an account, and the state of account and session when they began. */
export interface LinkStart {
  userId: string
  authEpoch: number
  mfaEpoch: number
  sessionId: string
}

interface RequestOptions {
  /** Path of the console to go to afterwards. */
  redirect: string
  loginHint?: string | undefined
  prompt?: string | undefined
  /** Set to connect an account; without it the request is a sign-in. */
  link?: LinkStart
}

interface Dependencies {
  db: Database
  clock: Clock
  clients: Clients
  callbackUrl: () => string
}

/** Pending authorization requests. Each is good for one callback, within ten minutes. */
export class AuthorizationRequests {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * @param provider prepared by `ProviderPreparation`
   * @returns the address to send the browser to, and the state to bind to it by a cookie
   */
  async begin(
    provider: Provider,
    { redirect, loginHint, prompt, link }: RequestOptions,
  ): Promise<{ address: string; state: string }> {
    const { db, clock, clients, callbackUrl } = this.#dependencies
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
    const address = buildAuthorizationUrl(clients.of(provider), {
      redirect_uri: callbackUrl(),
      scope: provider.scopes,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(loginHint && { login_hint: loginHint }),
      ...(prompt && { prompt }),
    })
    db.run(
      q.insertInto('sso_sessions').values({
        id: randomUUIDv7(),
        provider_id: provider.id,
        provider_version: provider.config_version,
        state,
        nonce,
        code_verifier: verifier,
        redirect_url: redirect,
        mode: link ? 'link' : 'login',
        link_user_id: link?.userId ?? null,
        initiating_auth_epoch: link?.authEpoch ?? null,
        initiating_mfa_epoch: link?.mfaEpoch ?? null,
        initiating_session_id: link?.sessionId ?? null,
        created_at: isoNow(clock),
        expires_at: iso(clock.now() + requestLifeMs),
      }),
    )
    return { address: address.href, state }
  }

  /** Uses the request up: of two callbacks with the same state one finds it. */
  take(state: string): AuthorizationRequest | undefined {
    const { db, clock } = this.#dependencies
    const [request] = db.write(
      q.deleteFrom('sso_sessions').where('state', '=', state).where('expires_at', '>', isoNow(clock)).returningAll(),
    )
    return request
  }

  /**
   * Whether a code is used for the first time, in any request. It defends against mix-up attacks: a hostile provider that
   * redirects users to another provider learns that one's code, and cannot use it in a browser of its own any more.
   */
  isNew(code: string): boolean {
    const { db, clock } = this.#dependencies
    const seen = { code_digest: sha256(code), expires_at: iso(clock.now() + codeLifeMs) }
    const insert = q.insertInto('sso_seen_codes').values(seen)
    return db.write(insert.onConflict((conflict) => conflict.doNothing()).returning('code_digest')).length === 1
  }
}
