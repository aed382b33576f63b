import { randomUUIDv7 } from 'node:crypto'
import type { Selectable } from 'kysely'
import {
  type createEnrollmentKey,
  type EnrollmentKey,
  enrollmentDefaults,
  type listEnrollmentKeys,
  type rotateEnrollmentKey,
} from '../../../shared/api/enrollment-keys.ts'
import type { AuditAction } from '../../../shared/audit-actions/index.ts'
import type { BodyOf, QueryOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { frozenStatuses } from '../../db/org-status.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { reachesOrg, reachesSite, type UserActor } from '../../platform/actor.ts'
import { actingOrganizationId } from '../../platform/actor-tenant.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, iso, isoNow, minute } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import { randomHex, type Secrets } from '../../platform/secrets.ts'
import { operableOrganization, resolveOrganization, writableOrganization } from '../organization-access/index.ts'
import type { Sites } from '../sites/index.ts'
import type { EnrollmentKeyTable } from './tables.ts'

type KeyRow = Selectable<EnrollmentKeyTable>

const defaultLifeMs = enrollmentDefaults.ttlMinutes * minute

interface EnrollmentKeyServices {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  secrets: Secrets
  sites: Sites
}

export class EnrollmentKeys {
  readonly #services: EnrollmentKeyServices

  constructor(services: EnrollmentKeyServices) {
    this.#services = services
  }

  list(actor: UserActor, { page, limit, orgId, expired }: QueryOf<typeof listEnrollmentKeys>) {
    if (actor.scope === 'organization' && !actor.orgId) throw new AppError('org_context_required')
    if (orgId && !reachesOrg(actor, orgId)) throw new AppError('org_access_denied')
    const now = isoNow(this.#services.clock)
    let visible = q.selectFrom('enrollment_keys').where(withinReach(actor, 'enrollment_keys'))
    if (orgId) visible = visible.where('org_id', '=', orgId)
    if (expired === 'true') visible = visible.where('expires_at', '<=', now)
    if (expired === 'false')
      visible = visible.where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    const rows = this.#services.db.all(
      visible
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset((page - 1) * limit),
    )
    const total =
      this.#services.db.first(visible.select((select) => select.fn.countAll<number>().as('total')))?.total ?? 0
    return { data: rows.map((row) => ({ ...keyView(row), installerTokens: null })), pagination: { page, limit, total } }
  }

  read(actor: UserActor, id: string): EnrollmentKey {
    return keyView(this.#find(actor, id))
  }

  /** The only answer besides rotation that carries the raw key. */
  create(actor: UserActor, wanted: BodyOf<typeof createEnrollmentKey>) {
    const { db, clock, audit, limits, secrets, sites } = this.#services
    limits.consume('enrollment_key_create', actor.userId)
    const expiresAt = this.#expiry(wanted)
    const orgId = this.#orgFor(actor, wanted.orgId)
    const key = randomHex(32)
    return db.transaction(() => {
      const org = operableOrganization(db, actor, orgId, 'org_access_denied')
      const siteId = wanted.siteId ?? null
      const isReached = reachesSite(actor, siteId)
      if (actor.groups !== null || (siteId === null && !isReached)) throw new AppError('site_access_denied')
      if (siteId !== null && !(isReached && sites.inOrganization(orgId, siteId))) throw new AppError('site_not_in_org')
      const id = randomUUIDv7()
      db.run(
        q.insertInto('enrollment_keys').values({
          id,
          org_id: orgId,
          site_id: siteId,
          name: wanted.name,
          key: secrets.enrollmentKeyHash(key),
          max_usage: wanted.maxUsage ?? enrollmentDefaults.deviceCount,
          expires_at: expiresAt,
          created_by: actor.userId,
          created_at: isoNow(clock),
        }),
      )
      audit(actor, {
        action: 'enrollment_key.create',
        resourceType: 'enrollment_key',
        resourceId: id,
        resourceName: wanted.name,
        orgId: org.id,
        details: {
          siteId,
          maxUsage: wanted.maxUsage ?? enrollmentDefaults.deviceCount,
          expiresAt,
        },
      })
      return { ...this.read(actor, id), key }
    })
  }

  rotate(actor: UserActor, id: string, wanted: BodyOf<typeof rotateEnrollmentKey>) {
    const { db, clock, secrets } = this.#services
    const key = randomHex(32)
    const wantedExpiry = wanted?.expiresAt && this.#expiry({ expiresAt: wanted.expiresAt })
    return db.transaction(() => {
      const before = this.#findToWrite(actor, id, operableOrganization)
      // A rotated key is meant to be used: one that has expired starts a new life.
      const isPast = before.expires_at !== null && Date.parse(before.expires_at) <= clock.now()
      db.run(
        q
          .updateTable('enrollment_keys')
          .set({
            key: secrets.enrollmentKeyHash(key),
            usage_count: 0,
            updated_at: isoNow(clock),
            expires_at: wantedExpiry || (isPast ? iso(clock.now() + defaultLifeMs) : before.expires_at),
            ...(wanted?.maxUsage !== undefined && { max_usage: wanted.maxUsage }),
          })
          .where('id', '=', id),
      )
      this.#record(actor, 'enrollment_key.rotate', before)
      return { ...this.read(actor, id), key }
    })
  }

  remove(actor: UserActor, id: string): void {
    const { db } = this.#services
    db.transaction(() => {
      const before = this.#findToWrite(actor, id, writableOrganization)
      db.run(q.deleteFrom('enrollment_keys').where('id', '=', id))
      this.#record(actor, 'enrollment_key.delete', before)
    })
  }

  purgeExpired(actor: UserActor): number {
    const { db, clock, audit } = this.#services
    return db.transaction(() => {
      const deletedCount = db.run(
        q
          .deleteFrom('enrollment_keys')
          .where(withinReach(actor, 'enrollment_keys'))
          .where('org_id', 'not in', frozenOrganizations())
          .where('expires_at', '<=', isoNow(clock)),
      )
      audit(actor, {
        action: 'enrollment_key.purge_expired',
        resourceType: 'enrollment_key',
        orgId: actor.orgId,
        details: { deletedCount },
      })
      return deletedCount
    })
  }

  #expiry(wanted: { expiresAt?: string | undefined; ttlMinutes?: number | undefined }): string {
    const { clock } = this.#services
    if (wanted.expiresAt && wanted.ttlMinutes) throw new AppError('expiry_conflict')
    if (wanted.expiresAt) {
      if (Date.parse(wanted.expiresAt) <= clock.now()) throw new AppError('expiry_past')
      return new Date(wanted.expiresAt).toISOString()
    }
    return iso(clock.now() + (wanted.ttlMinutes ? wanted.ttlMinutes * minute : defaultLifeMs))
  }

  #orgFor(actor: UserActor, wanted: string | undefined): string {
    if (actor.scope === 'organization') {
      const own = actingOrganizationId(actor)
      if (wanted && wanted !== own) throw new AppError('own_org_keys_only')
      return own
    }
    return resolveOrganization(this.#services.db, actor, wanted)
  }

  /** Another tenant's key is not there at all; one of a site out of reach is forbidden. */
  #find(actor: UserActor, id: string): KeyRow {
    const row = this.#byId(id)
    if (!row || !reachesOrg(actor, row.org_id)) throw new AppError('enrollment_key_missing')
    if (!reachesKeys(actor, row.site_id)) throw new AppError('key_access_denied')
    return row
  }

  #findToWrite(actor: UserActor, id: string, assertOrganization: typeof writableOrganization): KeyRow {
    const row = this.#byId(id)
    if (!row) throw new AppError('enrollment_key_missing')
    assertOrganization(this.#services.db, actor, row.org_id, 'enrollment_key_missing')
    if (!reachesKeys(actor, row.site_id)) throw new AppError('key_access_denied')
    return row
  }

  #byId(id: string): KeyRow | undefined {
    return this.#services.db.first(q.selectFrom('enrollment_keys').selectAll().where('id', '=', id))
  }

  #record(actor: UserActor, action: AuditAction, key: KeyRow): void {
    this.#services.audit(actor, {
      action,
      resourceType: 'enrollment_key',
      resourceId: key.id,
      resourceName: key.name,
      orgId: key.org_id,
    })
  }
}

const frozenOrganizations = () => q.selectFrom('organizations').select('id').where('status', 'in', frozenStatuses)

/** As the tenancy predicate has it: a new device is in no group yet. */
const reachesKeys = (actor: UserActor, siteId: string | null) => actor.groups === null && reachesSite(actor, siteId)

const keyView = (row: KeyRow): EnrollmentKey => ({
  id: row.id,
  orgId: row.org_id,
  siteId: row.site_id,
  name: row.name,
  usageCount: row.usage_count,
  maxUsage: row.max_usage,
  expiresAt: row.expires_at,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  shortCode: row.short_code,
  installerPlatform: row.installer_platform,
})
