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
import type { Journey, Provider } from '../store.ts'
import type { Clients } from './clients.ts'

export const journeyLifeMs = 10 * minute
/** Longer than any identity provider takes one of its codes. */
const codeLifeMs = hour

/** Who connects an account, and in which state of theirs they began. */
export interface LinkStart {
  userId: string
  authEpoch: number
  mfaEpoch: number
  sessionId: string
}

interface Wanted {
  /** A path of the console. */
  redirect: string
  loginHint?: string | undefined
  prompt?: string | undefined
  /** Without it somebody signs in. */
  link?: LinkStart
}

interface Parts {
  db: Database
  clock: Clock
  clients: Clients
  callbackUrl: () => string
}

/** Who is on the way to an identity provider; each comes back once, within ten minutes. */
export class Journeys {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** For a provider that `Readiness` let pass: where to send the browser, and the state that its cookie is made of. */
  async begin(
    provider: Provider,
    { redirect, loginHint, prompt, link }: Wanted,
  ): Promise<{ address: string; state: string }> {
    const { db, clock, clients, callbackUrl } = this.#parts
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
        expires_at: iso(clock.now() + journeyLifeMs),
      }),
    )
    return { address: address.href, state }
  }

  /** Ends it, whatever comes of it: of two who bring the same state, one gets it. */
  take(state: string): Journey | undefined {
    const { db, clock } = this.#parts
    const [journey] = db.write(
      q.deleteFrom('sso_sessions').where('state', '=', state).where('expires_at', '>', isoNow(clock)).returningAll(),
    )
    return journey
  }

  /**
   * Whether a code came back for the first time, in whichever journey. A hostile provider may send people on to another
   * one and be given that one's code here; in a browser of its own, it is too late with it.
   */
  isNew(code: string): boolean {
    const { db, clock } = this.#parts
    const seen = { code_digest: sha256(code), expires_at: iso(clock.now() + codeLifeMs) }
    const insert = q.insertInto('sso_seen_codes').values(seen)
    return db.write(insert.onConflict((conflict) => conflict.doNothing()).returning('code_digest')).length === 1
  }
}
