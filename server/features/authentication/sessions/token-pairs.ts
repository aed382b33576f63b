import { randomUUID } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, iso } from '../../../platform/clock.ts'
import { randomHex, sha256 } from '../../../platform/secrets.ts'
import { type Membership, orgIdOf, partnerIdOf, type User } from '../../access/index.ts'
import { accessTokenSeconds, type Claims, refreshTokenSeconds, type TokenSession, type Tokens } from './tokens.ts'

/** The tokens a sign-in or a refresh returns; the refresh token and the CSRF token go into cookies. */
export interface IssuedTokens {
  accessToken: string
  refreshToken: string
  csrfToken: string
}

/** Signed tokens of one session. Signing is asynchronous; `save` is called inside the transaction afterwards. */
export interface TokenPair {
  issued: IssuedTokens
  /** Hash of the refresh token, kept in the row of the session. */
  tokenHash: string
  save: () => void
}

export const tokensView = ({ accessToken }: Pick<IssuedTokens, 'accessToken'>) => ({
  accessToken,
  expiresInSeconds: accessTokenSeconds,
})

export const claimsOf = (user: User, membership: Membership, mfa: boolean): Claims => ({
  sub: user.id,
  email: user.email,
  scope: membership.kind,
  partnerId: partnerIdOf(membership),
  orgId: orgIdOf(membership),
  roleId: membership.kind === 'system' ? null : membership.role_id,
  mfa,
  aep: user.auth_epoch,
  mep: user.mfa_epoch,
})

/** Signs the tokens of a session. */
export class TokenPairs {
  readonly #db: Database
  readonly #clock: Clock
  readonly #tokens: Tokens

  constructor(db: Database, clock: Clock, tokens: Tokens) {
    this.#db = db
    this.#clock = clock
    this.#tokens = tokens
  }

  async sign(claims: Claims, session: TokenSession): Promise<TokenPair> {
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

  /** A new access token for a session whose refresh token stays valid. */
  accessOnly(claims: Claims, session: TokenSession): Promise<string> {
    return this.#tokens.access(claims, session)
  }
}
