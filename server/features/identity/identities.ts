import { enrollUrl } from '../../../shared/api/auth.ts'
import type { Farewell } from '../../../shared/api/events.ts'
import type { UserAccess } from '../../../shared/endpoint.ts'
import { errorTable } from '../../../shared/errors/index.ts'
import { allPermissions, type Grant, grantAllows } from '../../../shared/permissions.ts'
import type { Database, TableName } from '../../db/database.ts'
import { growingCache } from '../../db/growing-cache.ts'
import { TableCache } from '../../db/table-cache.ts'
import type { Identity, Origin, UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Identify } from '../../platform/http/http.ts'
import type { IpAllowlist } from './policy/ip-allowlist.ts'
import type { Demand, MfaPolicy } from './policy/mfa-policy.ts'
import { membershipOfSession } from './policy/sso-enforcement.ts'
import { farewellTo } from './sessions/farewell.ts'
import { ownMemberships } from './sessions/own-memberships.ts'
import { PartnerGuard, type PartnerRefusal } from './sessions/partner-guard.ts'
import { isPlatformAdminIn } from './sessions/platform-admin.ts'
import { tenantClosed } from './sessions/tenant-sessions.ts'
import { placeOf, type Tokens, type VerifiedAccess } from './sessions/tokens.ts'
import {
  findGrants,
  findSession,
  findUser,
  type Membership,
  membershipIdOf,
  orgIdOf,
  type Session,
  type TenantMembership,
  type User,
  usableMemberships,
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

/** A token, verified. */
type Bearer = Omit<VerifiedAccess, 'expiresAtMs'>

interface Resolved {
  identity: Described
  expiresAtMs: number
  /** The place that the bearer is for is closed: what has become of the session. */
  closed: 'waits' | 'ended' | 'goes-on' | null
  /** Set while the user is asked for a factor that they do not hold. */
  demanded: { user: User; demand: Demand; source: string } | null
}

/** Says who a bearer is. The session row decides, not the token; answers are kept until a watched table changes. */
export class Identities {
  readonly #db: Database
  readonly #clock: Clock
  readonly #tokens: Tokens
  readonly #tenants: TenantIndex
  readonly #partners: PartnerGuard
  readonly #policy: MfaPolicy
  readonly #allowlist: IpAllowlist
  readonly #audit: Audit
  readonly #sessionOfToken = growingCache<VerifiedAccess>(maxCached)
  readonly #resolved: TableCache<Resolved>
  /** Session and route of refusals on record; a console that keeps asking would fill the log. */
  readonly #toldToEnrol = growingCache<true>(maxCached)

  constructor(db: Database, clock: Clock, tokens: Tokens, policy: MfaPolicy, allowlist: IpAllowlist, audit: Audit) {
    this.#db = db
    this.#clock = clock
    this.#tokens = tokens
    this.#tenants = new TenantIndex(db)
    this.#partners = new PartnerGuard(db)
    this.#policy = policy
    this.#allowlist = allowlist
    this.#audit = audit
    this.#resolved = new TableCache(db, watchedTables, maxCached)
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
      const { sessionId, userId, partnerId } = caller
      const bearer = { sessionId, userId, partnerId, place: placeOf(caller) }
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
    this.#sessionOfToken.set(token, session)
    return session
  }

  /**
   * First the company, whatever has become of the session: closing a company ends the sessions of its people, who are to
   * be told why. Then the session, the tenant, the second factor and the address.
   */
  #admit(bearer: Bearer, origin: Origin, access: UserAccess, path: string): UserActor {
    const refusal = this.#partners.refusalOf(bearer.partnerId)
    if (refusal && !access.evenIf?.includes('partner-inactive')) throw new AppError(refusal.code, refusal.told)
    const { identity, closed, demanded } = this.#ofSession(bearer)
    if (closed && !access.evenIf?.includes('closed')) this.#refuseClosed(refusal, closed, access)
    const actor: UserActor = { kind: 'user', ...identity, mfaRequired: false, origin }
    if (demanded) {
      actor.mfaRequired = this.#policy.settle(demanded.user, demanded.demand).required
      if (actor.mfaRequired && !access.evenIf?.includes('unenrolled'))
        this.#refuseUnenrolled(actor, demanded.source, path)
    }
    this.#allowlist.assertAllowed(actor, origin, actor)
    return actor
  }

  #refuseClosed(refusal: PartnerRefusal | null, closed: Resolved['closed'], access: UserAccess): never {
    if (refusal) throw new AppError(refusal.code, { ...refusal.told, error: errorTable.TENANT_INACTIVE.error })
    // A refresh leads on, or to the sign-in; what people ask about themselves is not for one tenant.
    const isAboutThemselves = access.evenIf?.includes('partner-inactive') === true
    const isOver = closed === 'goes-on' || (closed === 'ended' && isAboutThemselves)
    throw new AppError(isOver ? 'invalid_token' : 'TENANT_INACTIVE')
  }

  #refuseUnenrolled(actor: UserActor, source: string, path: string): never {
    const key = `${actor.sessionId} ${path}`
    if (!this.#toldToEnrol.has(key)) {
      this.#toldToEnrol.set(key, true)
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

  #ofSession(bearer: Bearer): Resolved {
    const resolved = this.#resolved.get(`${bearer.sessionId} ${bearer.place}`, () => this.#resolve(bearer))
    if (resolved.identity.userId !== bearer.userId || resolved.expiresAtMs <= this.#clock.now())
      throw new AppError('invalid_token')
    return resolved
  }

  #resolve({ sessionId, userId, place }: Bearer): Resolved {
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
    if (present && placeIn(present) === place) {
      const identity = this.#describe(user, session, present)
      const demand = this.#policy.demandOn(present)
      const source = this.#policy.demanderOf(user, demand)
      return { identity, expiresAtMs, closed: null, demanded: source && { user, demand, source } }
    }
    // Was a system operator and is none any more.
    if (!present && place === systemPlace) throw new AppError('insufficient_permissions')
    // A bearer is good for one tenant: somebody who lost that membership has to ask for another one.
    const own = ownMemberships(this.#db, session).find((membership) => placeIn(membership) === place)
    if (!own || this.#isUsable(own)) throw new AppError('invalid_token')
    const identity = this.#describe(user, session, own)
    const closed = isEnded ? 'ended' : present ? 'goes-on' : 'waits'
    return { identity, expiresAtMs, closed, demanded: null }
  }

  #isUsable({ id, user_id }: TenantMembership): boolean {
    return usableMemberships(this.#db, user_id).some((one) => one.id === id)
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

const placeIn = (membership: Membership): string =>
  placeOf({
    scope: membership.kind,
    partnerId: membership.kind === 'system' ? null : membership.partner_id,
    orgId: orgIdOf(membership),
  })

const idsIn = (list: string | null) => (list === null ? null : new Set(JSON.parse(list) as string[]))
