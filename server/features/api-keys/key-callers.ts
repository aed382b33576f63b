import type { FastifyReply, FastifyRequest } from 'fastify'
import { grantsOf } from '../../../shared/api/api-keys.ts'
import { allPermissions, grantAllows } from '../../../shared/permissions.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { onlyOrgs } from '../../db/reach.ts'
import { TableCache } from '../../db/table-cache.ts'
import type { Identity, Origin, UserActor } from '../../platform/actor.ts'
import { limitKey } from '../../platform/client-address.ts'
import { type Clock, isoNow, second } from '../../platform/clock.ts'
import { AppError, rateLimited } from '../../platform/errors.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import { sha256 } from '../../platform/secrets.ts'
import type { IpAllowlist } from '../access/index.ts'
import { watchedTables } from '../authentication/index.ts'
import { backingOf, type KeyRow, scopesOf } from './creators.ts'
import { type Allowance, HourlyCalls } from './hourly-calls.ts'
import { keyFormat } from './key-format.ts'
import type { KeyUses } from './uses.ts'

interface Deps {
  db: Database
  clock: Clock
  limits: RateLimits
  allowlist: IpAllowlist
  uses: KeyUses
}

interface Resolved {
  key: KeyRow
  /** Null: the key is not active, or nobody stands behind it. */
  identity: Identity | null
}

/** Whatever may change what a key is allowed. */
const tables = [...watchedTables.filter((table) => table !== 'sessions'), 'api_keys'] as const
const maxCached = 20_000

/** A bearer goes before a key, so that a client which sends both is somebody. */
export const bringsKey = ({ headers }: FastifyRequest): boolean =>
  headers['x-api-key'] !== undefined && !headers.authorization?.startsWith('Bearer ')

/** Says on whose behalf a key calls. Answers are kept until a watched table changes. */
export class KeyCallers {
  readonly #deps: Deps
  readonly #calls: HourlyCalls
  /** By the hash of the key; unknown ones are not kept, or whoever makes them up would fill the memory. */
  readonly #resolved: TableCache<Resolved>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#calls = new HourlyCalls(deps.clock)
    this.#resolved = new TableCache(deps.db, tables, maxCached)
  }

  /** Every refusal is the same 401, but for a limit that is used up and an address that is not allowed. */
  identify({ headers, origin, actor }: FastifyRequest, reply: FastifyReply): UserActor {
    this.#assertNoProbing(origin, reply)
    const found = this.#find(String(headers['x-api-key']))
    if (!found) throw this.#refusal(origin)
    const { key } = found
    try {
      // Whoever was let in before their body came is asked for once more, and has made one call.
      return this.#admit(found, origin, actor?.kind !== 'user')
    } finally {
      tell(reply, this.#calls.allowance(key.id, key.rate_limit))
    }
  }

  #admit({ key, identity }: Resolved, origin: Origin, isNew: boolean): UserActor {
    if (this.#hasExpired(key) || !identity) throw this.#refusal(origin)
    const actor: UserActor = { kind: 'user', ...identity, apiKey: { id: key.id, name: key.name }, origin }
    this.#deps.allowlist.assertAllowed(actor, origin, actor)
    if (isNew) this.#count(key)
    return actor
  }

  #count({ id, rate_limit }: KeyRow): void {
    const wait = this.#calls.take(id, rate_limit)
    if (wait > 0) throw rateLimited('rate_limited', wait)
    this.#deps.uses.count(id)
  }

  #refusal({ ip }: Origin): AppError {
    this.#deps.limits.count('api_key_probe', limitKey(ip))
    return new AppError('invalid_api_key')
  }

  #assertNoProbing({ ip }: Origin, reply: FastifyReply): void {
    const { clock, limits } = this.#deps
    const wait = limits.retryAfterMs('api_key_probe', limitKey(ip))
    if (wait === 0) return
    const resetAt = Math.ceil((clock.now() + wait) / second)
    tell(reply, { limit: limits.maxOf('api_key_probe'), remaining: 0, resetAt })
    throw rateLimited('rate_limited', wait)
  }

  #find(secret: string): Resolved | undefined {
    if (!keyFormat.test(secret)) return undefined
    const hash = sha256(secret)
    return this.#resolved.get(hash, () => this.#read(hash))
  }

  #read(hash: string): Resolved | undefined {
    const key = this.#deps.db.first(q.selectFrom('api_keys').selectAll().where('key_hash', '=', hash))
    return key && { key, identity: key.status === 'active' ? this.#identityOf(key) : null }
  }

  /** The first call after that moment also says so in the row. */
  #hasExpired({ id, status, expires_at }: KeyRow): boolean {
    const { db, clock } = this.#deps
    if (status !== 'active' || expires_at === null || expires_at > isoNow(clock)) return false
    const expired = { status: 'expired', updated_at: isoNow(clock) } as const
    db.run(q.updateTable('api_keys').set(expired).where('id', '=', id))
    return true
  }

  #identityOf(key: KeyRow): Identity | null {
    const backing = backingOf(this.#deps.db, key)
    if (backing.problem !== null) return null
    const { creator, authority, org } = backing
    const grants = grantsOf(scopesOf(key))
    return {
      userId: creator.id,
      email: creator.email,
      name: creator.name,
      // It has none; where sessions are told apart, a key is one.
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
      // Nothing that asks for a second factor is content with a key.
      mfa: false,
      holdsFactor: true,
      mfaRequired: false,
      authAtMs: 0,
      mfaAtMs: null,
      isPlatformAdmin: false,
    }
  }
}

const tell = (reply: FastifyReply, { limit, remaining, resetAt }: Allowance) =>
  reply.headers({ 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': resetAt })
