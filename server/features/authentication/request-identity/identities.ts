import { enrollUrl } from '../../../../shared/api/auth.ts'
import type { GoodbyeReason } from '../../../../shared/api/events.ts'
import type { UserAccess } from '../../../../shared/endpoint.ts'
import { errorTable } from '../../../../shared/errors/index.ts'
import type { Database } from '../../../db/database.ts'
import { growingCache } from '../../../lib/growing-cache.ts'
import type { Identity, Origin, UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import type { Clock } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Identify } from '../../../platform/http/http.ts'
import type { IpAllowlist, MfaPolicy } from '../../access/index.ts'
import { endReasonOf } from '../sessions/end-reason.ts'
import { findSession } from '../sessions/store.ts'
import { type Tokens, tenantKey, type VerifiedAccess } from '../sessions/tokens.ts'
import { PartnerGuard, type PartnerRefusal } from './partner-guard.ts'
import { type Bearer, type ClosedTenant, type ResolvedSession, SessionResolver } from './session-resolver.ts'

const maxCached = 20_000

/** Tells on whose behalf a request comes. The session in the database decides, not what the token says. */
export class Identities {
  readonly #db: Database
  readonly #clock: Clock
  readonly #tokens: Tokens
  readonly #sessions: SessionResolver
  readonly #partners: PartnerGuard
  readonly #policy: MfaPolicy
  readonly #allowlist: IpAllowlist
  readonly #audit: Audit
  readonly #bearerOfToken = growingCache<VerifiedAccess>(maxCached)
  /** Session and route of refusals that were recorded: a console that keeps asking would fill the audit log. */
  readonly #recordedRefusals = growingCache<true>(maxCached)

  constructor(db: Database, clock: Clock, tokens: Tokens, policy: MfaPolicy, allowlist: IpAllowlist, audit: Audit) {
    this.#db = db
    this.#clock = clock
    this.#tokens = tokens
    this.#sessions = new SessionResolver(db, clock, policy)
    this.#partners = new PartnerGuard(db)
    this.#policy = policy
    this.#allowlist = allowlist
    this.#audit = audit
  }

  readonly identify: Identify['user'] = (request, _reply, access) => {
    const header = request.headers.authorization
    if (!header?.startsWith('Bearer ')) throw new AppError('unauthorized')
    const token = header.slice(7)
    const path = request.routeOptions.url ?? ''
    const known = this.#bearerOfToken.get(token)
    if (known && known.expiresAtMs > this.#clock.now()) return this.#admit(known, request.origin, access, path)
    return this.#verify(token).then((bearer) => this.#admit(bearer, request.origin, access, path))
  }

  /** For long-lived streams: the caller as they are now; null once the session has ended or the caller is refused. */
  current(caller: UserActor): Identity | null {
    try {
      const { sessionId, userId, partnerId } = caller
      const bearer = { sessionId, userId, partnerId, tenantKey: tenantKey(caller) }
      return this.#admit(bearer, caller.origin, { who: 'user', scopes: [caller.scope] }, 'live')
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }

  /** What to tell the stream of a session for which `current` has become null. */
  endReasonOf(sessionId: string): GoodbyeReason | null {
    return endReasonOf(findSession(this.#db, sessionId))
  }

  async #verify(token: string) {
    const bearer = await this.#tokens.verifyAccess(token)
    this.#bearerOfToken.set(token, bearer)
    return bearer
  }

  /**
   * Checks the partner first, whatever the state of the session: closing a partner ends the sessions of its users, and
   * these are to be told why. Then the session, the tenant, the second factor and the address.
   */
  #admit(bearer: Bearer, origin: Origin, access: UserAccess, path: string): UserActor {
    const refusal = this.#partners.refusalOf(bearer.partnerId)
    if (refusal && !access.evenIf?.includes('partner-inactive')) throw new AppError(refusal.code, refusal.details)
    const { identity, closed, mfa } = this.#sessions.resolve(bearer)
    if (closed && !access.evenIf?.includes('closed')) this.#refuseClosed(refusal, closed, access)
    const actor: UserActor = { kind: 'user', ...identity, mfaRequired: false, origin }
    if (mfa) {
      actor.mfaRequired = this.#policy.openEnrollment(mfa.user, mfa.requirement).required
      if (actor.mfaRequired && !access.evenIf?.includes('unenrolled')) this.#refuseUnenrolled(actor, mfa, path)
    }
    this.#allowlist.assertAllowed(actor, origin, actor)
    return actor
  }

  #refuseClosed(refusal: PartnerRefusal | null, closed: ClosedTenant, access: UserAccess): never {
    if (refusal) throw new AppError(refusal.code, { ...refusal.details, error: errorTable.TENANT_INACTIVE.error })
    // `invalid_token` makes the client refresh, which leads to another tenant or to the sign-in. Endpoints that stay open
    // for an inactive partner are about the user, not about one tenant.
    const isAboutUser = access.evenIf?.includes('partner-inactive') === true
    const isTokenOver = closed === 'other-tenant-open' || (closed === 'session-ended' && isAboutUser)
    throw new AppError(isTokenOver ? 'invalid_token' : 'TENANT_INACTIVE')
  }

  #refuseUnenrolled(actor: UserActor, { reason }: NonNullable<ResolvedSession['mfa']>, path: string): never {
    const key = `${actor.sessionId} ${path}`
    if (!this.#recordedRefusals.has(key)) {
      this.#recordedRefusals.set(key, true)
      this.#audit(actor, {
        action: 'auth.mfa.enrollment.required',
        resourceType: 'user',
        resourceId: actor.userId,
        orgId: actor.orgId,
        details: { path, scope: actor.scope, source: reason },
        result: 'denied',
      })
    }
    throw new AppError('mfa_enrollment_required', { enrollUrl })
  }
}
