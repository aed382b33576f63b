import { randomUUID } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, iso } from '../../../platform/clock.ts'
import { randomHex, sha256 } from '../../../platform/secrets.ts'
import { type Membership, orgIdOf, type User } from '../../access/users/store.ts'
import { accessTokenSeconds, type Bearing, type Claims, refreshTokenSeconds, type Tokens } from './tokens.ts'

/** What a sign-in or a refresh hands out; the refresh token and the CSRF token travel in cookies. */
export interface Issued {
  accessToken: string
  refreshToken: string
  csrfToken: string
}

/** A signed pair of tokens of one session. Signing waits, saving does not: `save` belongs into a transaction. */
export interface Pair {
  issued: Issued
  /** What the row of the session keeps of the refresh token. */
  tokenHash: string
  save: () => void
}

export const tokensView = ({ accessToken }: Pick<Issued, 'accessToken'>) => ({
  accessToken,
  expiresInSeconds: accessTokenSeconds,
})

export const claimsOf = (user: User, membership: Membership, mfa: boolean): Claims => ({
  sub: user.id,
  email: user.email,
  scope: membership.kind,
  partnerId: membership.kind === 'system' ? null : membership.partner_id,
  orgId: orgIdOf(membership),
  roleId: membership.kind === 'system' ? null : membership.role_id,
  mfa,
  aep: user.auth_epoch,
  mep: user.mfa_epoch,
})

/** Signs the tokens of a session. */
export class Pairs {
  readonly #db: Database
  readonly #clock: Clock
  readonly #tokens: Tokens

  constructor(db: Database, clock: Clock, tokens: Tokens) {
    this.#db = db
    this.#clock = clock
    this.#tokens = tokens
  }

  async sign(claims: Claims, session: Bearing): Promise<Pair> {
    const jti = randomUUID()
    const [accessToken, refreshToken] = await Promise.all([
      this.#tokens.access(claims, session),
      this.#tokens.refresh(claims, session, jti),
    ])
    const row = { jti, session_id: session.id, expires_at: iso(this.#clock.now() + refreshTokenSeconds * 1000) }
    return {
      issued: { accessToken, refreshToken, csrfToken: randomHex(32) },
      tokenHash: sha256(refreshToken),
      save: () => {
        this.#db.run(q.insertInto('refresh_tokens').values(row))
      },
    }
  }

  /** Another access token for a session whose refresh token stays as it is. */
  accessOnly(claims: Claims, session: Bearing): Promise<string> {
    return this.#tokens.access(claims, session)
  }
}
