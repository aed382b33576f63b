import type { Database, TableName } from '../../../db/database.ts'
import { TableCache } from '../../../db/table-cache.ts'
import type { Identity } from '../../../platform/actor.ts'
import type { Clock } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import {
  findUser,
  isPlatformAdminIn,
  type Membership,
  MembershipIdentities,
  type MfaPolicy,
  type MfaRequirement,
  membershipOfSession,
  orgIdOf,
  partnerIdOf,
  type TenantMembership,
  type User,
  usableMemberships,
} from '../../access/index.ts'
import { findSession, type Session } from '../sessions/store.ts'
import { tenantClosed } from '../sessions/tenant-sessions.ts'
import { tenantKey, type VerifiedAccess } from '../sessions/tokens.ts'
import { sessionMemberships } from './session-memberships.ts'

/** Every table that decides what a session may do; a write to one of them takes effect with the next request. */
export const watchedTables: readonly TableName[] = [
  'users',
  'sessions',
  'partner_users',
  'organization_users',
  'roles',
  'role_permissions',
  'partners',
  'organizations',
  'sso_providers',
]

/** What a verified access token says. */
export type Bearer = Omit<VerifiedAccess, 'expiresAtMs'>

/**
 * The tenant of a token is closed. `session-open`: the session is kept for the day it opens again; `session-ended`: it
 * was ended when the tenant was closed; `other-tenant-open`: the session can go on in another tenant of the user.
 */
export type ClosedTenant = 'session-open' | 'session-ended' | 'other-tenant-open'

type SessionIdentity = Omit<Identity, 'mfaRequired'>

export interface ResolvedSession {
  identity: SessionIdentity
  expiresAtMs: number
  closed: ClosedTenant | null
  /** Set while a second factor is required of the user and they hold none. */
  mfa: { user: User; requirement: MfaRequirement; reason: string } | null
}

const systemKey = tenantKey({ scope: 'system', partnerId: null, orgId: null })
const maxCached = 20_000

/** Finds out what a session may do. Answers are cached until a watched table changes. */
export class SessionResolver {
  readonly #db: Database
  readonly #clock: Clock
  readonly #policy: MfaPolicy
  readonly #identities: MembershipIdentities
  readonly #cache: TableCache<ResolvedSession>

  constructor(db: Database, clock: Clock, policy: MfaPolicy) {
    this.#db = db
    this.#clock = clock
    this.#policy = policy
    this.#identities = new MembershipIdentities(db)
    this.#cache = new TableCache(db, watchedTables, maxCached)
  }

  /** @throws AppError `invalid_token`, `account_not_active`, `insufficient_permissions` */
  resolve(bearer: Bearer): ResolvedSession {
    const resolved = this.#cache.get(`${bearer.sessionId} ${bearer.tenantKey}`, () => this.#find(bearer))
    if (resolved.identity.userId !== bearer.userId || resolved.expiresAtMs <= this.#clock.now())
      throw new AppError('invalid_token')
    return resolved
  }

  #find({ sessionId, userId, tenantKey: key }: Bearer): ResolvedSession {
    const session = findSession(this.#db, sessionId)
    const user = findUser(this.#db, userId)
    if (!session || !user || session.user_id !== user.id) throw new AppError('invalid_token')
    const isEnded = session.revoked_at !== null
    if (isEnded && session.revoked_reason !== tenantClosed) throw new AppError('invalid_token')
    if (session.auth_epoch !== user.auth_epoch || session.mfa_epoch !== user.mfa_epoch)
      throw new AppError('invalid_token')
    if (user.status !== 'active') throw new AppError('account_not_active')
    const expiresAtMs = Date.parse(session.expires_at)
    const present = isEnded ? null : membershipOfSession(this.#db, user, session)
    if (present && keyOf(present) === key) {
      const identity = this.#describe(user, session, present)
      return { identity, expiresAtMs, closed: null, mfa: this.#missingFactor(user, present) }
    }
    // The user was a system operator and is one no longer.
    if (!present && key === systemKey) throw new AppError('insufficient_permissions')
    // A token is good for one tenant: a user who lost that membership has to refresh.
    const own = sessionMemberships(this.#db, session).find((membership) => keyOf(membership) === key)
    if (!own || this.#isUsable(own)) throw new AppError('invalid_token')
    const identity = this.#describe(user, session, own)
    const closed = isEnded ? 'session-ended' : present ? 'other-tenant-open' : 'session-open'
    return { identity, expiresAtMs, closed, mfa: null }
  }

  #missingFactor(user: User, membership: Membership): ResolvedSession['mfa'] {
    const requirement = this.#policy.requirementOf(membership)
    const reason = this.#policy.enrollmentReason(user, requirement)
    return reason && { user, requirement, reason }
  }

  #isUsable({ id, user_id }: TenantMembership): boolean {
    return usableMemberships(this.#db, user_id).some((one) => one.id === id)
  }

  #describe(user: User, session: Session, membership: Membership): SessionIdentity {
    return {
      userId: user.id,
      email: user.email,
      name: user.name,
      sessionId: session.id,
      ...this.#identities.of(membership),
      mfa: session.mfa_at !== null,
      authAtMs: Date.parse(session.auth_at),
      mfaAtMs: session.mfa_at === null || session.mfa_source === 'idp' ? null : Date.parse(session.mfa_at),
      holdsFactor: user.mfa_enabled === 1,
      isPlatformAdmin: isPlatformAdminIn(user, membership, session.sso_provider_id),
    }
  }
}

const keyOf = (membership: Membership): string =>
  tenantKey({ scope: membership.kind, partnerId: partnerIdOf(membership), orgId: orgIdOf(membership) })
