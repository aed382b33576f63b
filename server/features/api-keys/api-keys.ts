import { randomUUIDv7 } from 'node:crypto'
import {
  type ApiKey,
  apiKeyRates,
  type createApiKey,
  type listApiKeys,
  type updateApiKey,
} from '../../../shared/api/api-keys.ts'
import type { AuditAction } from '../../../shared/audit-actions/index.ts'
import type { BodyOf, QueryOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { reachesOrg, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { changedFieldsOf, changeOf } from '../../platform/updates.ts'
import { grantedOrganization, operableOrganization, writableOrganization } from '../organization-access/index.ts'
import { assertWithinCaller } from './ceiling.ts'
import { newKey } from './key-format.ts'
import { assertHoldsScopes, knownScopes } from './scopes.ts'
import type { KeyUses } from './uses.ts'
import { isNamed, keyView, type NamedRow, namedKeys, statusAt } from './views.ts'

interface Deps {
  db: Database
  clock: Clock
  audit: Audit
  uses: KeyUses
}

const warnings = {
  created: 'Store this API key now: it is not shown again.',
  rotated: 'Store this new API key now: it is not shown again, and the former one no longer works.',
}

/** The keys with which other programs call for an organization. */
export class ApiKeys {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  list(actor: UserActor, { page, limit, orgId, status, search }: QueryOf<typeof listApiKeys>) {
    const { db, uses } = this.#deps
    if (orgId && !reachesOrg(actor, orgId)) throw new AppError('org_access_denied')
    const now = isoNow(this.#deps.clock)
    let visible = namedKeys(now).where(withinReach(actor, 'api_keys'))
    if (orgId) visible = visible.where('api_keys.org_id', '=', orgId)
    if (status) visible = visible.where(statusAt(now), '=', status)
    if (search) visible = visible.where(isNamed(search))
    const rows = db.all(
      visible
        .orderBy('api_keys.created_at', 'desc')
        .orderBy('api_keys.id', 'desc')
        .limit(limit)
        .offset((page - 1) * limit),
    )
    const counted = visible.clearSelect().select((select) => select.fn.countAll<number>().as('total'))
    return {
      data: rows.map((row) => keyView(db, uses, row)),
      pagination: { page, limit, total: db.first(counted)?.total ?? 0 },
      isAdmin: actor.scope !== 'organization',
    }
  }

  read(actor: UserActor, id: string): ApiKey {
    const row = this.#byId(id)
    if (!reachesOrg(actor, row.org_id)) throw new AppError('api_key_not_found')
    return this.#view(row)
  }

  /** The only answer besides rotation that carries the key. */
  create(actor: UserActor, { orgId, name, scopes: wanted, expiresAt, rateLimit }: BodyOf<typeof createApiKey>) {
    const { db, clock } = this.#deps
    const { key, stored } = newKey()
    const id = randomUUIDv7()
    const now = isoNow(clock)
    return db.transaction(() => {
      operableOrganization(db, actor, orgId, 'org_access_denied')
      const scopes = knownScopes(wanted)
      assertHoldsScopes(actor, scopes)
      const expires_at = expiresAt ? new Date(expiresAt).toISOString() : null
      if (expires_at !== null && expires_at <= now) throw new AppError('expiry_past')
      const rate_limit = rateLimit ?? apiKeyRates.default
      db.run(
        q.insertInto('api_keys').values({
          id,
          org_id: orgId,
          name,
          ...stored,
          scopes: JSON.stringify(scopes),
          rate_limit,
          expires_at,
          created_by: actor.userId,
          created_at: now,
          updated_at: now,
        }),
      )
      const row = this.#byId(id)
      const details = { keyPrefix: stored.key_prefix, scopes, rateLimit: rate_limit, expiresAt: expires_at }
      this.#record(actor, 'api_key.create', row, details)
      return { ...this.#view(row), key, warning: warnings.created }
    })
  }

  update(actor: UserActor, id: string, { name, scopes: wanted, rateLimit }: BodyOf<typeof updateApiKey>): ApiKey {
    const { db, clock } = this.#deps
    const changedFields = changedFieldsOf({ name, scopes: wanted, rateLimit })
    return db.transaction(() => {
      const before = this.#findToWrite(actor, id, operableOrganization)
      assertActive(before)
      assertWithinCaller(db, actor, before)
      const scopes = wanted ? JSON.stringify(knownScopes(wanted)) : before.scopes
      assertWithinCaller(db, actor, { ...before, scopes }, 'api_key_beyond_creator')
      const values = { name: name ?? before.name, scopes, rate_limit: rateLimit ?? before.rate_limit }
      db.run(
        q
          .updateTable('api_keys')
          .set({ ...values, updated_at: isoNow(clock) })
          .where('id', '=', id),
      )
      const after = this.#byId(id)
      const view = this.#view(after)
      this.#record(actor, 'api_key.update', after, changeOf(changedFields, this.#view(before), view))
      return view
    })
  }

  /** For good. Also open to whoever could not rotate it: what somebody else can do with it ends. */
  revoke(actor: UserActor, id: string) {
    const { db, clock } = this.#deps
    return db.transaction(() => {
      const before = this.#findToWrite(actor, id, writableOrganization)
      if (before.status === 'revoked') throw new AppError('api_key_revoked')
      const revoked = { status: 'revoked', updated_at: isoNow(clock) } as const
      db.run(q.updateTable('api_keys').set(revoked).where('id', '=', id))
      const details = { keyPrefix: before.key_prefix, previousStatus: before.status_now }
      this.#record(actor, 'api_key.revoke', before, details)
      const { id: _, name, keyPrefix, status, updatedAt } = this.#view(this.#byId(id))
      return {
        success: true as const,
        message: 'API key revoked successfully',
        apiKey: { id, name, keyPrefix, status, updatedAt },
      }
    })
  }

  rotate(actor: UserActor, id: string) {
    const { db, clock, uses } = this.#deps
    const { key, stored } = newKey()
    return db.transaction(() => {
      const before = this.#findToWrite(actor, id, operableOrganization)
      assertActive(before)
      assertWithinCaller(db, actor, before)
      const unused = { usage_count: 0, last_used_at: null, updated_at: isoNow(clock) }
      db.run(
        q
          .updateTable('api_keys')
          .set({ ...stored, ...unused })
          .where('id', '=', id),
      )
      uses.forget(id)
      const details = { keyPrefix: stored.key_prefix, previousKeyPrefix: before.key_prefix, resetUsageCount: true }
      this.#record(actor, 'api_key.rotate', before, details)
      return { ...this.#view(this.#byId(id)), key, warning: warnings.rotated }
    })
  }

  #byId(id: string): NamedRow {
    const row = this.#deps.db.first(namedKeys(isoNow(this.#deps.clock)).where('api_keys.id', '=', id))
    if (!row) throw new AppError('api_key_not_found')
    return row
  }

  #findToWrite(actor: UserActor, id: string, assertOrganization: typeof writableOrganization): NamedRow {
    const { db } = this.#deps
    const row = this.#byId(id)
    if (!grantedOrganization(db, actor, row.org_id)) throw new AppError('api_key_not_found')
    assertOrganization(db, actor, row.org_id, 'api_key_not_found')
    return row
  }

  #view(row: NamedRow): ApiKey {
    return keyView(this.#deps.db, this.#deps.uses, row)
  }

  #record(
    actor: UserActor,
    action: AuditAction,
    { id, name, org_id }: NamedRow,
    details: Record<string, unknown>,
  ): void {
    const resource = { resourceType: 'api_key', resourceId: id, resourceName: name, orgId: org_id }
    this.#deps.audit(actor, { action, ...resource, details })
  }
}

/** 400, and why it is not. */
function assertActive({ status_now }: NamedRow): void {
  if (status_now !== 'active') throw new AppError('api_key_not_active', { error: `API key is ${status_now}` })
}
