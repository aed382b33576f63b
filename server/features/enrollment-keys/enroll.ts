import { randomUUIDv7 } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { EnrollRequest } from '../../../shared/device/enroll.ts'
import type { Hardware } from '../../../shared/device/inventory.ts'
import { closeCode } from '../../../shared/device/socket.ts'
import type { ErrorCode } from '../../../shared/errors/index.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Origin, systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { limitKey } from '../../platform/client-address.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import { equalSecrets, randomHex, type Secrets, sha256 } from '../../platform/secrets.ts'
import type { Connections } from '../device-connections/index.ts'
import { assertRoomForDevice, type Device, issueTokens, updateDevice } from '../devices/index.ts'
import type { Inventory } from '../inventory/index.ts'
import type { EnrollmentKeyTable } from './tables.ts'

type KeyRow = Selectable<EnrollmentKeyTable>

interface EnrollmentServices {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  secrets: Secrets
  live: LiveEvents
  connections: Connections
  inventory: Inventory
  /** Demanded of every device when the environment defines it. */
  enrollmentSecret: string | undefined
}

export interface Enrolled {
  agentId: string
  deviceId: string
  authToken: string
  watchdogAuthToken: string
  helperAuthToken: string
  orgId: string
  siteId: string
}

export interface EnrollClaim {
  request: EnrollRequest & { hardwareInfo?: Hardware | undefined }
  secret: string | undefined
  /** The token the machine still holds from an earlier enrollment. */
  formerToken: string | undefined
}

const refuse = (code: ErrorCode, extra: Record<string, unknown> = {}): never => {
  throw new AppError(code, { reason: code, ...extra })
}

/** Lets a device in with an enrollment key. Agents act on the first check that fails, so their order is fixed. */
export class Enrollment {
  readonly #services: EnrollmentServices

  constructor(services: EnrollmentServices) {
    this.#services = services
  }

  /** Counts the request before anything else is looked at. */
  admit(origin: Origin): void {
    this.#services.limits.consume('enrollment_ip', limitKey(origin.ip), 'enrollment_rate_limited')
  }

  enroll(claim: EnrollClaim, origin: Origin): Enrolled {
    const { db, secrets, audit } = this.#services
    const key = db.first(
      q
        .selectFrom('enrollment_keys')
        .selectAll()
        .where('key', '=', secrets.enrollmentKeyHash(claim.request.enrollmentKey)),
    )
    if (!key) return refuse('enrollment_key_not_found')
    try {
      return db.transaction(() => this.#enroll(key, claim, origin))
    } catch (error) {
      if (error instanceof AppError)
        audit(systemActor('enrollment', origin), {
          action: 'agent.enroll',
          resourceType: 'enrollment_key',
          resourceId: key.id,
          resourceName: claim.request.hostname,
          orgId: key.org_id,
          details: { reason: error.code },
          result: 'denied',
        })
      throw error
    }
  }

  #enroll(key: KeyRow, claim: EnrollClaim, origin: Origin): Enrolled {
    this.#assertUsable(key)
    this.#assertSecret(key, claim.secret)
    const siteId = this.#siteFor(key)
    this.#assertTenant(key.org_id)
    const candidates = this.#candidates(key.org_id, siteId, claim.request.hostname)
    const known = claim.formerToken ? this.#holderOf(claim.formerToken, key.org_id) : undefined
    if ([known, ...candidates].some((device) => device?.status === 'quarantined')) refuse('device_quarantined')
    const isSuspended = (device: Device) => device.agent_token_suspended_at !== null
    const retired = [known, ...candidates].filter((device) => device?.status === 'decommissioned')
    if (retired.some((device) => device && isSuspended(device)))
      refuse('existing_decommissioned_row_has_suspended_token')
    // A suspended token proves nothing.
    const reenrolled = known && known.status !== 'decommissioned' && !isSuspended(known) ? known : undefined
    if (!reenrolled) assertRoomForDevice(this.#services.db, key.org_id)
    const enrolled = reenrolled
      ? this.#takeOver(reenrolled, key, siteId, claim, origin)
      : this.#insert(key, siteId, claim, origin, candidates)
    if (claim.request.hardwareInfo)
      this.#services.inventory.enrolledHardware(enrolled.deviceId, claim.request.hardwareInfo)
    this.#spendUse(key)
    this.#announce(enrolled, key, claim.request.hostname, origin, reenrolled !== undefined)
    return enrolled
  }

  #assertUsable(key: KeyRow): void {
    if (key.expires_at !== null && Date.parse(key.expires_at) <= this.#services.clock.now())
      refuse('enrollment_key_expired')
    if (key.max_usage !== null && key.usage_count >= key.max_usage) refuse('enrollment_key_exhausted')
  }

  #assertSecret(key: KeyRow, given: string | undefined): void {
    const expected = key.key_secret_hash ?? (this.#services.enrollmentSecret && sha256(this.#services.enrollmentSecret))
    if (!expected) return
    if (!given) throw new AppError('enrollment_secret_required')
    if (!equalSecrets(sha256(given), expected)) throw new AppError('enrollment_secret_invalid')
  }

  /** The key's site; without one the oldest of the organization. */
  #siteFor(key: KeyRow): string {
    if (key.site_id) return key.site_id
    const oldest = this.#services.db.first(
      q.selectFrom('sites').select('id').where('org_id', '=', key.org_id).orderBy('created_at').orderBy('id').limit(1),
    )
    if (!oldest) throw new AppError('key_without_site')
    return oldest.id
  }

  #assertTenant(orgId: string): void {
    const tenant = this.#services.db.first(
      q
        .selectFrom('organizations')
        .innerJoin('partners', 'partners.id', 'organizations.partner_id')
        .select(['organizations.status as org_status', 'partners.status as partner_status'])
        .where('organizations.id', '=', orgId)
        .where('organizations.deleted_at', 'is', null)
        .where('partners.deleted_at', 'is', null),
    )
    if (tenant?.partner_status !== 'active' || !['active', 'trial'].includes(tenant.org_status))
      refuse('tenant_inactive')
  }

  #candidates(orgId: string, siteId: string, hostname: string): Device[] {
    return this.#services.db.all(
      q
        .selectFrom('devices')
        .selectAll()
        .where('org_id', '=', orgId)
        .where('site_id', '=', siteId)
        .where(sql<boolean>`hostname = ${hostname} collate nocase`)
        .orderBy('created_at'),
    )
  }

  /** The device whose current, or not yet expired previous, token this is. */
  #holderOf(token: string, orgId: string): Device | undefined {
    const hash = sha256(token)
    return this.#services.db.first(
      q
        .selectFrom('devices')
        .selectAll()
        .where('org_id', '=', orgId)
        .where((where) =>
          where.or([
            where('agent_token_hash', '=', hash),
            where.and([
              where('previous_token_hash', '=', hash),
              where('previous_token_expires_at', '>', isoNow(this.#services.clock)),
            ]),
          ]),
        ),
    )
  }

  /** The machine proved who it is: same device, new agent id, new tokens. */
  #takeOver(device: Device, key: KeyRow, siteId: string, claim: EnrollClaim, origin: Origin): Enrolled {
    const issued = issue(isoNow(this.#services.clock))
    const { device_role, device_role_source, ...columns } = this.#columns(key, siteId, claim, origin)
    const role = device.device_role_source === 'auto' && device_role ? { device_role, device_role_source } : {}
    const { db, connections } = this.#services
    updateDevice(db, device.id, { ...columns, ...role, ...issued.columns, maintenance_until: null })
    db.afterCommit(() => connections.close(device.id, closeCode.unauthorized, 'credential replaced'))
    return { ...issued.tokens, deviceId: device.id, orgId: key.org_id, siteId }
  }

  #insert(key: KeyRow, siteId: string, claim: EnrollClaim, origin: Origin, candidates: Device[]): Enrolled {
    const { db, clock } = this.#services
    const live = candidates.find((device) => device.status !== 'decommissioned')
    if (!live)
      for (const device of candidates)
        updateDevice(db, device.id, { hostname: `${device.hostname}.decom-${device.id.slice(0, 8)}`.slice(0, 270) })
    const issued = issue(isoNow(clock))
    const deviceId = randomUUIDv7()
    db.run(
      q.insertInto('devices').values({
        ...this.#columns(key, siteId, claim, origin),
        ...issued.columns,
        id: deviceId,
        created_at: isoNow(clock),
        possible_replacement_of_device_id: live?.id ?? null,
      }),
    )
    return { ...issued.tokens, deviceId, orgId: key.org_id, siteId }
  }

  #columns(key: KeyRow, siteId: string, { request }: EnrollClaim, origin: Origin) {
    const now = isoNow(this.#services.clock)
    const primary = request.networkInfo?.find((adapter) => adapter.isPrimary) ?? request.networkInfo?.[0]
    return {
      org_id: key.org_id,
      site_id: siteId,
      hostname: request.hostname,
      os_type: request.osType,
      os_version: request.osVersion,
      architecture: request.architecture,
      agent_version: request.agentVersion,
      ...(request.deviceRole && { device_role: request.deviceRole }),
      device_role_source: 'auto' as const,
      is_virtual: request.isVirtual ? (1 as const) : (0 as const),
      virtualization_platform: request.virtualizationPlatform ?? null,
      status: 'online' as const,
      enrolled_at: now,
      enrolled_by: key.id,
      last_seen_at: now,
      wan_ip: origin.ip,
      ...(primary?.ip && { lan_ip: primary.ip }),
      uninstall_intent_at: null,
      updated_at: now,
    }
  }

  /** Last in the transaction: when no use is left, everything is undone. */
  #spendUse(key: KeyRow): void {
    const now = isoNow(this.#services.clock)
    const used = this.#services.db.run(
      q
        .updateTable('enrollment_keys')
        .set((set) => ({ usage_count: set('usage_count', '+', 1), updated_at: now }))
        .where('id', '=', key.id)
        .where((where) => where.or([where('max_usage', 'is', null), where('usage_count', '<', where.ref('max_usage'))]))
        .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)])),
    )
    if (used === 0) refuse('enrollment_key_race_lost')
  }

  #announce(enrolled: Enrolled, key: KeyRow, hostname: string, origin: Origin, reenrollment: boolean): void {
    const { db, audit, live } = this.#services
    const { deviceId, orgId, siteId } = enrolled
    audit(systemActor('enrollment', origin), {
      action: 'agent.enroll',
      resourceType: 'device',
      resourceId: deviceId,
      resourceName: hostname,
      orgId,
      details: { siteId, reenrollment, enrollmentKeyId: key.id },
    })
    db.afterCommit(() =>
      live.publish({ type: 'device.enrolled', deviceId, orgId, siteId, hostname, enrollmentKeyId: key.id }),
    )
  }
}

function issue(now: string) {
  const agentId = randomHex(32)
  const { tokens, columns } = issueTokens(now)
  return { tokens: { agentId, ...tokens }, columns: { agent_id: agentId, ...columns } }
}
