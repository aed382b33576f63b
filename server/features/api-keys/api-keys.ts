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
import { fromJson, toJson } from '../../lib/json.ts'
import { reachesOrg, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { changedFieldsOf, changeOf } from '../../platform/updates.ts'
import { grantedOrganization, operableOrganization, writableOrganization } from '../organization-access/index.ts'
import { assertWithinCaller } from './ceiling.ts'
import { newKey } from './key-format.ts'
import { assertHoldsScopes, assertScopesInUse, knownScopes } from './scopes.ts'
import type { KeyUses } from './uses.ts'
import { keyView, matchesText, type NamedRow, namedKeys, statusAt } from './views.ts'

interface ApiKeyServices {
  db: Database
  clock: Clock
  audit: Audit
  uses: KeyUses
}

const warnings = {
  created: 'Store this API key now: it is not shown again.',
  rotated: 'Store this new API key now: it is not shown again, and the former one no longer works.',
}

/** API keys, as people manage them in the console. */
export class ApiKeys {
  readonly #services: ApiKeyServices

  constructor(services: ApiKeyServices) {
    this.#services = services
  }

  list(actor: UserActor, { page, limit, orgId, status, search }: QueryOf<typeof listApiKeys>) {
    const { db, uses } = this.#services
    if (orgId && !reachesOrg(actor, orgId)) throw new AppError('org_access_denied')
    const now = isoNow(this.#services.clock)
    let visible = namedKeys(now).where(withinReach(actor, 'api_keys'))
    if (orgId) visible = visible.where('api_keys.org_id', '=', orgId)
    if (status) visible = visible.where(statusAt(now), '=', status)
    if (search) visible = visible.where(matchesText(search))
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

  /**
   * Only this reply and that of `rotate` contain the key itself.
   * @throws AppError `org_access_denied`, `api_key_scope_unknown`, `api_key_scope_not_in_use`, `permission_not_held`, `expiry_past`
   */
  create(actor: UserActor, { orgId, name, scopes: scopeNames, expiresAt, rateLimit }: BodyOf<typeof createApiKey>) {
    const { db, clock } = this.#services
    const { key, stored } = newKey()
    const id = randomUUIDv7()
    const now = isoNow(clock)
    return db.transaction(() => {
      operableOrganization(db, actor, orgId, 'org_access_denied')
      const scopes = knownScopes(scopeNames)
      assertScopesInUse(scopes)
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
          scopes: toJson(scopes),
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

  /**
   * @throws AppError `api_key_not_found`, `api_key_not_active`, `api_key_scope_unknown`, `api_key_scope_not_in_use`,
   *   `api_key_beyond_creator` and those of `assertWithinCaller`
   */
  update(actor: UserActor, id: string, changes: BodyOf<typeof updateApiKey>): ApiKey {
    const { db, clock } = this.#services
    const { name, scopes: scopeNames, rateLimit } = changes
    const changedFields = changedFieldsOf({ name, scopes: scopeNames, rateLimit })
    return db.transaction(() => {
      const before = this.#findToWrite(actor, id, operableOrganization)
      assertActive(before)
      assertWithinCaller(db, actor, before)
      const scopes = scopeNames ? this.#changedScopes(before, scopeNames) : before.scopes
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

  /** Permanent. Unlike `rotate` also allowed for a key that can do more than the caller: it only takes power away. */
  revoke(actor: UserActor, id: string) {
    const { db, clock } = this.#services
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
    const { db, clock, uses } = this.#services
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

  #changedScopes(before: NamedRow, names: readonly string[]): NamedRow['scopes'] {
    const scopes = knownScopes(names)
    assertScopesInUse(scopes, fromJson(before.scopes))
    return toJson(scopes)
  }

  #byId(id: string): NamedRow {
    const row = this.#services.db.first(namedKeys(isoNow(this.#services.clock)).where('api_keys.id', '=', id))
    if (!row) throw new AppError('api_key_not_found')
    return row
  }

  #findToWrite(actor: UserActor, id: string, assertOrganization: typeof writableOrganization): NamedRow {
    const { db } = this.#services
    const row = this.#byId(id)
    if (!grantedOrganization(db, actor, row.org_id)) throw new AppError('api_key_not_found')
    assertOrganization(db, actor, row.org_id, 'api_key_not_found')
    return row
  }

  #view(row: NamedRow): ApiKey {
    return keyView(this.#services.db, this.#services.uses, row)
  }

  #record(
    actor: UserActor,
    action: AuditAction,
    { id, name, org_id }: NamedRow,
    details: Record<string, unknown>,
  ): void {
    const resource = { resourceType: 'api_key', resourceId: id, resourceName: name, orgId: org_id }
    this.#services.audit(actor, { action, ...resource, details })
  }
}

/** @throws AppError `api_key_not_active` with the status the key has */
function assertActive({ status_now }: NamedRow): void {
  if (status_now !== 'active') throw new AppError('api_key_not_active', { error: `API key is ${status_now}` })
}
