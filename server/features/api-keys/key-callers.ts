import type { FastifyReply, FastifyRequest } from 'fastify'
import { grantsOf } from '../../../shared/api/api-keys.ts'
import { allPermissions, grantAllows } from '../../../shared/permissions.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { onlyOrgs } from '../../db/reach.ts'
import { TableCache } from '../../db/table-cache.ts'
import { fromJson } from '../../lib/json.ts'
import type { Identity, Origin, UserActor } from '../../platform/actor.ts'
import { limitKey } from '../../platform/client-address.ts'
import { type Clock, isoNow, second } from '../../platform/clock.ts'
import { AppError, rateLimited } from '../../platform/errors.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import { sha256 } from '../../platform/secrets.ts'
import type { IpAllowlist } from '../access/index.ts'
import { watchedTables } from '../authentication/index.ts'
import { backingOf, type KeyRow } from './creators.ts'
import { HourlyCalls, type RateStatus } from './hourly-calls.ts'
import { keyFormat } from './key-format.ts'
import type { KeyUses } from './uses.ts'

interface KeyAuthenticationServices {
  db: Database
  clock: Clock
  limits: RateLimits
  allowlist: IpAllowlist
  uses: KeyUses
}

interface Resolved {
  key: KeyRow
  /** Null when the key is not active, or its creator may not do what it is for. */
  identity: Identity | null
}

/** The tables on which a key's permissions depend. */
const tables = [...watchedTables.filter((table) => table !== 'sessions'), 'api_keys'] as const
const maxCached = 20_000

/** A client that sends both a bearer token and a key is identified by the token. */
export const carriesKey = ({ headers }: FastifyRequest): boolean =>
  headers['x-api-key'] !== undefined && !headers.authorization?.startsWith('Bearer ')

/** Makes an actor of the API key in a request. Results are cached until a watched table changes. */
export class KeyAuthentication {
  readonly #services: KeyAuthenticationServices
  readonly #calls: HourlyCalls
  /** By the hash of the key. Unknown keys are not cached: made-up ones would fill the memory. */
  readonly #resolved: TableCache<Resolved>

  constructor(services: KeyAuthenticationServices) {
    this.#services = services
    this.#calls = new HourlyCalls(services.clock)
    this.#resolved = new TableCache(services.db, tables, maxCached)
  }

  /**
   * Sets the rate limit headers of the reply. Every key that is refused gets the same error, whatever the reason.
   * @throws AppError `invalid_api_key`, `rate_limited`, or the refusal of the address by the IP allow-list
   */
  identify({ headers, origin, actor }: FastifyRequest, reply: FastifyReply): UserActor {
    this.#assertNoProbing(origin, reply)
    const found = this.#find(String(headers['x-api-key']))
    if (!found) throw this.#refusal(origin)
    const { key } = found
    try {
      // Identified a second time after the body was received: that is still one call.
      return this.#admit(found, origin, actor?.kind !== 'user')
    } finally {
      setRateHeaders(reply, this.#calls.rateStatus(key.id, key.rate_limit))
    }
  }

  #admit({ key, identity }: Resolved, origin: Origin, isNew: boolean): UserActor {
    if (this.#hasExpired(key) || !identity) throw this.#refusal(origin)
    const actor: UserActor = { kind: 'user', ...identity, apiKey: { id: key.id, name: key.name }, origin }
    this.#services.allowlist.assertAllowed(actor, origin, actor)
    if (isNew) this.#count(key)
    return actor
  }

  #count({ id, rate_limit }: KeyRow): void {
    const wait = this.#calls.take(id, rate_limit)
    if (wait > 0) throw rateLimited('rate_limited', wait)
    this.#services.uses.count(id)
  }

  #refusal({ ip }: Origin): AppError {
    this.#services.limits.count('api_key_probe', limitKey(ip))
    return new AppError('invalid_api_key')
  }

  #assertNoProbing({ ip }: Origin, reply: FastifyReply): void {
    const { clock, limits } = this.#services
    const wait = limits.retryAfterMs('api_key_probe', limitKey(ip))
    if (wait === 0) return
    const resetAt = Math.ceil((clock.now() + wait) / second)
    setRateHeaders(reply, { limit: limits.maxOf('api_key_probe'), remaining: 0, resetAt })
    throw rateLimited('rate_limited', wait)
  }

  #find(secret: string): Resolved | undefined {
    if (!keyFormat.test(secret)) return undefined
    const hash = sha256(secret)
    return this.#resolved.get(hash, () => this.#read(hash))
  }

  #read(hash: string): Resolved | undefined {
    const key = this.#services.db.first(q.selectFrom('api_keys').selectAll().where('key_hash', '=', hash))
    return key && { key, identity: key.status === 'active' ? this.#identityOf(key) : null }
  }

  /** The first call after the expiry also sets the status of the row. */
  #hasExpired({ id, status, expires_at }: KeyRow): boolean {
    const { db, clock } = this.#services
    if (status !== 'active' || expires_at === null || expires_at > isoNow(clock)) return false
    const expired = { status: 'expired', updated_at: isoNow(clock) } as const
    db.run(q.updateTable('api_keys').set(expired).where('id', '=', id))
    return true
  }

  #identityOf(key: KeyRow): Identity | null {
    const backing = backingOf(this.#services.db, key)
    if (backing.problem !== null) return null
    const { creator, authority, org } = backing
    const grants = grantsOf(fromJson(key.scopes))
    return {
      userId: creator.id,
      email: creator.email,
      name: creator.name,
      // A key has no session; its own id stands where sessions are distinguished.
      sessionId: key.id,
      membershipId: authority.membershipId,
      scope: 'organization',
      partnerId: org.partner_id,
      orgId: org.id,
      roleId: authority.roleId,
      orgAccess: 'selected',
      orgs: onlyOrgs([org.id]),
      sites: authority.sites,
      groups: authority.groups,
      grants,
      permissions: new Set(
        allPermissions.filter((permission) => grants.some((grant) => grantAllows(grant, permission))),
      ),
      // Endpoints that require a second factor refuse keys.
      mfa: false,
      holdsFactor: true,
      mfaRequired: false,
      authAtMs: 0,
      mfaAtMs: null,
      isPlatformAdmin: false,
    }
  }
}

const setRateHeaders = (reply: FastifyReply, { limit, remaining, resetAt }: RateStatus) =>
  reply.headers({ 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': resetAt })
