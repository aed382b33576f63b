import { enrollUrl } from '../../../shared/api/auth.ts'
import type { Farewell } from '../../../shared/api/events.ts'
import type { UserAccess } from '../../../shared/endpoint.ts'
import { allPermissions, type Grant, grantAllows } from '../../../shared/permissions.ts'
import type { Database, TableName } from '../../db/database.ts'
import type { Identity, Origin, UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Identify } from '../../platform/http/http.ts'
import { findPartnerStanding } from '../partners/index.ts'
import type { IpAllowlist } from './policy/ip-allowlist.ts'
import type { Demand, MfaPolicy } from './policy/mfa-policy.ts'
import { membershipOfSession } from './policy/sso-enforcement.ts'
import { farewellTo } from './sessions/farewell.ts'
import { isPlatformAdminIn } from './sessions/platform-admin.ts'
import { placeOf, type Tokens, type VerifiedAccess } from './sessions/tokens.ts'
import {
  findGrants,
  findHomePartner,
  findSession,
  findUser,
  type Membership,
  membershipIdOf,
  type Session,
  type User,
} from './store.ts'
import { TenantIndex } from './tenant-index.ts'

/** Whatever may change what a session is allowed; a write to any of these is in force on the next request. */
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
const systemPlace = placeOf({ scope: 'system', partnerId: null, orgId: null })
const systemGrants: readonly Grant[] = [{ resource: '*', action: '*' }]
const maxCached = 20_000

type Described = Omit<Identity, 'mfaRequired'>

interface Resolved {
  identity: Described
  place: string
  expiresAtMs: number
  /** The partner is not active, although the session lives: what the refusal tells. */
  refusal: Record<string, unknown> | null
  /** Set while the user is asked for a factor that they do not hold. */
  demanded: { user: User; demand: Demand; source: string } | null
}

/** Says who a bearer is. The session row decides, not the token; answers are kept until a watched table changes. */
export class Identities {
  readonly #db: Database
  readonly #clock: Clock
  readonly #tokens: Tokens
  readonly #tenants: TenantIndex
  readonly #policy: MfaPolicy
  readonly #allowlist: IpAllowlist
  readonly #audit: Audit
  readonly #sessionOfToken = new Map<string, VerifiedAccess>()
  readonly #resolved = new Map<string, Resolved>()
  /** Session and route of refusals on record; a console that keeps asking would fill the log. */
  readonly #toldToEnrol = new Set<string>()
  #version = -1

  constructor(db: Database, clock: Clock, tokens: Tokens, policy: MfaPolicy, allowlist: IpAllowlist, audit: Audit) {
    this.#db = db
    this.#clock = clock
    this.#tokens = tokens
    this.#tenants = new TenantIndex(db)
    this.#policy = policy
    this.#allowlist = allowlist
    this.#audit = audit
  }

  readonly identify: Identify['user'] = (request, _reply, access) => {
    const header = request.headers.authorization
    if (!header?.startsWith('Bearer ')) throw new AppError('unauthorized')
    const token = header.slice(7)
    const path = request.routeOptions.url ?? ''
    const known = this.#sessionOfToken.get(token)
    if (known && known.expiresAtMs > this.#clock.now()) return this.#admit(known, request.origin, access, path)
    return this.#verify(token).then((bearer) => this.#admit(bearer, request.origin, access, path))
  }

  /** For long-lived streams: the caller as they are now, null once the session has ended or something bars them. */
  current(caller: UserActor): Identity | null {
    try {
      const bearer = { sessionId: caller.sessionId, userId: caller.userId, place: placeOf(caller) }
      return this.#admit(bearer, caller.origin, { who: 'user', scopes: [caller.scope] }, 'live')
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }

  /** What to say to the stream of a session when `current` has become null. */
  farewellTo(sessionId: string): Farewell | null {
    return farewellTo(findSession(this.#db, sessionId))
  }

  async #verify(token: string) {
    const session = await this.#tokens.verifyAccess(token)
    if (this.#sessionOfToken.size >= maxCached) this.#sessionOfToken.clear()
    this.#sessionOfToken.set(token, session)
    return session
  }

  /** The steps 2 to 9 of the pipeline (reference/auth-and-users.md §4). */
  #admit(
    { sessionId, userId, place }: Omit<VerifiedAccess, 'expiresAtMs'>,
    origin: Origin,
    access: UserAccess,
    path: string,
  ): UserActor {
    const resolved = this.#ofSession(sessionId, userId, place, access)
    // A bearer is good for the tenant it was given for: whoever lost that membership has to ask for another one.
    if (resolved.place !== place) throw new AppError('invalid_token')
    if (resolved.refusal && !access.evenIf?.includes('partner-inactive'))
      throw new AppError('PARTNER_INACTIVE', resolved.refusal)
    const actor: UserActor = { kind: 'user', ...resolved.identity, mfaRequired: false, origin }
    if (resolved.demanded) {
      actor.mfaRequired = this.#policy.settle(resolved.demanded.user, resolved.demanded.demand).required
      if (actor.mfaRequired && !access.evenIf?.includes('unenrolled'))
        this.#refuseUnenrolled(actor, resolved.demanded.source, path)
    }
    this.#allowlist.assertAllowed(actor, origin, actor)
    return actor
  }

  #refuseUnenrolled(actor: UserActor, source: string, path: string): never {
    const key = `${actor.sessionId} ${path}`
    if (!this.#toldToEnrol.has(key)) {
      if (this.#toldToEnrol.size >= maxCached) this.#toldToEnrol.clear()
      this.#toldToEnrol.add(key)
      this.#audit(actor, {
        action: 'auth.mfa.enrollment.required',
        resourceType: 'user',
        resourceId: actor.userId,
        orgId: actor.orgId,
        details: { path, scope: actor.scope, source },
        result: 'denied',
      })
    }
    throw new AppError('mfa_enrollment_required', { enrollUrl })
  }

  #ofSession(sessionId: string, userId: string, place: string, access: UserAccess): Resolved {
    const version = this.#db.version(watchedTables)
    if (version !== this.#version || this.#resolved.size >= maxCached) {
      this.#resolved.clear()
      this.#version = version
    }
    let resolved = this.#resolved.get(sessionId)
    if (!resolved) {
      resolved = this.#resolve(sessionId, userId, place, access)
      this.#resolved.set(sessionId, resolved)
    }
    if (resolved.identity.userId !== userId || resolved.expiresAtMs <= this.#clock.now())
      throw new AppError('invalid_token')
    return resolved
  }

  #resolve(sessionId: string, userId: string, place: string, access: UserAccess): Resolved {
    const session = findSession(this.#db, sessionId)
    const user = findUser(this.#db, userId)
    if (!session || !user || session.user_id !== user.id || session.revoked_at !== null)
      throw new AppError('invalid_token')
    if (session.auth_epoch !== user.auth_epoch || session.mfa_epoch !== user.mfa_epoch)
      throw new AppError('invalid_token')
    if (user.status !== 'active') throw new AppError('account_not_active')
    const membership = membershipOfSession(this.#db, user, session)
    if (!membership) return this.#refuseHomeless(userId, place, access)
    const identity = this.#describe(user, session, membership)
    const demand = this.#policy.demandOn(membership)
    const source = this.#policy.demanderOf(user, demand)
    return {
      identity,
      place: placeOf(identity),
      expiresAtMs: Date.parse(session.expires_at),
      refusal: membership.kind === 'system' ? null : this.#partnerRefusal(membership.partner_id),
      demanded: source && { user, demand, source },
    }
  }

  #refuseHomeless(userId: string, place: string, access: UserAccess): never {
    // Was a system operator and is none any more.
    if (place === systemPlace) throw new AppError('insufficient_permissions')
    const partnerId = findHomePartner(this.#db, userId)
    if (partnerId === undefined) throw new AppError('invalid_token')
    const refusal = this.#partnerRefusal(partnerId)
    if (!refusal) throw new AppError('TENANT_INACTIVE')
    // Where the guard does not look, the tenant itself is still unusable.
    const error = access.evenIf?.includes('partner-inactive') && { error: 'Tenant is not active' }
    throw new AppError('PARTNER_INACTIVE', { ...refusal, ...error })
  }

  #partnerRefusal(partnerId: string): Record<string, unknown> | null {
    const partner = findPartnerStanding(this.#db, partnerId)
    if (!partner) throw new AppError('PARTNER_NOT_FOUND')
    if (partner.status === 'active') return null
    return {
      status: partner.status,
      message: partner.statusMessage,
      actionUrl: partner.statusActionUrl,
      actionLabel: partner.statusActionLabel,
    }
  }

  #describe(user: User, session: Session, membership: Membership): Described {
    const grants = membership.kind === 'system' ? systemGrants : findGrants(this.#db, membership.role_id)
    return {
      userId: user.id,
      email: user.email,
      name: user.name,
      sessionId: session.id,
      membershipId: membershipIdOf(membership),
      ...this.#place(membership),
      grants,
      permissions: new Set(
        allPermissions.filter((permission) => grants.some((grant) => grantAllows(grant, permission))),
      ),
      mfa: session.mfa_at !== null,
      authAtMs: Date.parse(session.auth_at),
      mfaAtMs: session.mfa_at === null || session.mfa_source === 'idp' ? null : Date.parse(session.mfa_at),
      holdsFactor: user.mfa_enabled === 1,
      isPlatformAdmin: isPlatformAdminIn(user, membership, session.sso_provider_id),
    }
  }

  #place(
    membership: Membership,
  ): Pick<Identity, 'scope' | 'partnerId' | 'orgId' | 'roleId' | 'orgAccess' | 'orgs' | 'sites' | 'groups'> {
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
          groups: null,
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
          groups: null,
        }
      case 'organization':
        return {
          scope: 'organization',
          partnerId: membership.partner_id,
          orgId: membership.org_id,
          roleId: membership.role_id,
          orgAccess: 'selected',
          orgs: this.#tenants.selected(membership.partner_id, [membership.org_id]),
          sites: idsIn(membership.site_ids),
          groups: idsIn(membership.device_group_ids),
        }
    }
  }

  #orgsOf(membership: Extract<Membership, { kind: 'partner' }>) {
    if (membership.org_access === 'all') return this.#tenants.ofPartner(membership.partner_id)
    const ids = membership.org_access === 'selected' ? (JSON.parse(membership.org_ids ?? '[]') as string[]) : []
    return this.#tenants.selected(membership.partner_id, ids)
  }
}

const idsIn = (list: string | null) => (list === null ? null : new Set(JSON.parse(list) as string[]))
