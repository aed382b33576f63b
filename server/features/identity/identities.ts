import { allPermissions, type Grant, grantAllows } from '../../../shared/permissions.ts'
import type { Database, TableName } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Identity, UserActor } from '../../platform/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Identify } from '../../platform/http/http.ts'
import {
  findGrants,
  findHomePartner,
  findMembership,
  findSession,
  findUser,
  type Membership,
  type Session,
  type User,
} from './store.ts'
import { TenantIndex } from './tenant-index.ts'
import { placeOf, type Tokens, type VerifiedAccess } from './tokens.ts'

/** Whatever may change what a session is allowed; a write to any of these is in force on the next request. */
const watchedTables: readonly TableName[] = [
  'users',
  'sessions',
  'partner_users',
  'organization_users',
  'roles',
  'role_permissions',
  'partners',
  'organizations',
]
const systemGrants: readonly Grant[] = [{ resource: '*', action: '*' }]
const maxCached = 20_000

interface Resolved {
  identity: Identity
  place: string
  expiresAtMs: number
}

/** Says who a bearer is. The session row decides, not the token; answers are kept until a watched table changes. */
export class Identities {
  readonly #db: Database
  readonly #clock: Clock
  readonly #tokens: Tokens
  readonly #tenants: TenantIndex
  readonly #sessionOfToken = new Map<string, VerifiedAccess>()
  readonly #resolved = new Map<string, Resolved>()
  #version = -1

  constructor(db: Database, clock: Clock, tokens: Tokens) {
    this.#db = db
    this.#clock = clock
    this.#tokens = tokens
    this.#tenants = new TenantIndex(db)
  }

  readonly identify: Identify['user'] = (request, origin) => {
    const header = request.headers.authorization
    if (!header?.startsWith('Bearer ')) throw new AppError('unauthorized')
    const token = header.slice(7)
    const known = this.#sessionOfToken.get(token)
    if (known && known.expiresAtMs > this.#clock.now()) return { kind: 'user', ...this.#ofBearer(known), origin }
    return this.#verify(token).then((bearer): UserActor => ({ kind: 'user', ...this.#ofBearer(bearer), origin }))
  }

  /** For long-lived streams: the session as it is now, null once it has ended. */
  current(sessionId: string, userId: string): Identity | null {
    try {
      return this.#ofSession(sessionId, userId).identity
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }

  async #verify(token: string) {
    const session = await this.#tokens.verifyAccess(token)
    if (this.#sessionOfToken.size >= maxCached) this.#sessionOfToken.clear()
    this.#sessionOfToken.set(token, session)
    return session
  }

  /** A bearer is good for the tenant it was given for: whoever lost that membership has to ask for another one. */
  #ofBearer({ sessionId, userId, place }: VerifiedAccess): Identity {
    const resolved = this.#ofSession(sessionId, userId)
    if (resolved.place !== place) throw new AppError('invalid_token')
    return resolved.identity
  }

  #ofSession(sessionId: string, userId: string): Resolved {
    const version = this.#db.version(watchedTables)
    if (version !== this.#version || this.#resolved.size >= maxCached) {
      this.#resolved.clear()
      this.#version = version
    }
    let resolved = this.#resolved.get(sessionId)
    if (!resolved) {
      resolved = this.#resolve(sessionId, userId)
      this.#resolved.set(sessionId, resolved)
    }
    if (resolved.identity.userId !== userId || resolved.expiresAtMs <= this.#clock.now())
      throw new AppError('invalid_token')
    return resolved
  }

  #resolve(sessionId: string, userId: string): Resolved {
    const session = findSession(this.#db, sessionId)
    const user = findUser(this.#db, userId)
    if (!session || !user || session.user_id !== user.id || session.revoked_at !== null)
      throw new AppError('invalid_token')
    if (user.status !== 'active') throw new AppError('account_not_active')
    if (session.auth_epoch !== user.auth_epoch || session.mfa_epoch !== user.mfa_epoch)
      throw new AppError('invalid_token')
    const membership = findMembership(this.#db, user)
    if (!membership) return this.#refuseHomeless(userId)
    if (membership.kind !== 'system') this.#assertPartnerActive(membership.partner_id)
    const identity = this.#describe(user, session, membership)
    return { identity, place: placeOf(identity), expiresAtMs: Date.parse(session.expires_at) }
  }

  #refuseHomeless(userId: string): never {
    const partnerId = findHomePartner(this.#db, userId)
    if (partnerId === undefined) throw new AppError('invalid_token')
    this.#assertPartnerActive(partnerId)
    throw new AppError('TENANT_INACTIVE')
  }

  #assertPartnerActive(partnerId: string): void {
    const partner = this.#db.first(
      q
        .selectFrom('partners')
        .select(['status', 'settings'])
        .where('id', '=', partnerId)
        .where('deleted_at', 'is', null),
    )
    if (partner?.status === 'active') return
    const settings = JSON.parse(partner?.settings ?? '{}') as Record<string, unknown>
    throw new AppError('PARTNER_INACTIVE', {
      status: partner?.status ?? null,
      message: settings.statusMessage ?? null,
      actionUrl: settings.statusActionUrl ?? null,
      actionLabel: settings.statusActionLabel ?? null,
    })
  }

  #describe(user: User, session: Session, membership: Membership): Identity {
    const grants = membership.kind === 'system' ? systemGrants : findGrants(this.#db, membership.role_id)
    return {
      userId: user.id,
      email: user.email,
      name: user.name,
      sessionId: session.id,
      ...this.#place(membership),
      grants,
      permissions: new Set(
        allPermissions.filter((permission) => grants.some((grant) => grantAllows(grant, permission))),
      ),
      mfa: session.mfa_at !== null,
      holdsFactor: user.mfa_enabled === 1,
      isPlatformAdmin: user.is_platform_admin === 1,
    }
  }

  #place(
    membership: Membership,
  ): Pick<Identity, 'scope' | 'partnerId' | 'orgId' | 'roleId' | 'orgAccess' | 'orgs' | 'sites'> {
    switch (membership.kind) {
      case 'system':
        return {
          scope: 'system',
          partnerId: null,
          orgId: null,
          roleId: null,
          orgAccess: 'all',
          orgs: this.#tenants.ofSystem(),
          sites: null,
        }
      case 'partner':
        return {
          scope: 'partner',
          partnerId: membership.partner_id,
          orgId: null,
          roleId: membership.role_id,
          orgAccess: membership.org_access,
          orgs: this.#orgsOf(membership),
          sites: null,
        }
      case 'organization':
        return {
          scope: 'organization',
          partnerId: membership.partner_id,
          orgId: membership.org_id,
          roleId: membership.role_id,
          orgAccess: 'selected',
          orgs: this.#tenants.selected(membership.partner_id, [membership.org_id]),
          sites: membership.site_ids === null ? null : new Set(JSON.parse(membership.site_ids) as string[]),
        }
    }
  }

  #orgsOf(membership: Extract<Membership, { kind: 'partner' }>) {
    if (membership.org_access === 'all') return this.#tenants.ofPartner(membership.partner_id)
    const ids = membership.org_access === 'selected' ? (JSON.parse(membership.org_ids ?? '[]') as string[]) : []
    return this.#tenants.selected(membership.partner_id, ids)
  }
}
