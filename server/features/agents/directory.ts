import type { FastifyRequest } from 'fastify'
import type { InferResult } from 'kysely'
import type { DeviceStatus } from '../../../shared/api/devices.ts'
import type { Access, AgentRole } from '../../../shared/endpoint.ts'
import { isRecord } from '../../../shared/objects.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { TableCache } from '../../db/table-cache.ts'
import type { DeviceActor, Origin } from '../../platform/actor.ts'
import { limitKey } from '../../platform/client-address.ts'
import type { Clock } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import { equalSecrets, sha256 } from '../../platform/secrets.ts'
import { type AgentSurface, surfaceOf, tenantState } from '../devices/index.ts'

export interface KnownDevice {
  deviceId: string
  agentId: string
  orgId: string
  siteId: string
  hostname: string
  status: DeviceStatus
  surface: AgentSurface
  isSuspended: boolean
  hashes: { role: AgentRole; hash: string; expiresAtMs: number }[]
  /** The facts last stored, so that a heartbeat that repeats them costs no write. */
  facts: Record<string, unknown>
  wanIp: string | null
}

/** What somebody proved to be: a device, with one of its tokens. It ends with the token, or when the device changes its id. */
export interface AgentIdentity {
  deviceId: string
  agentId: string
  role: AgentRole
  tokenHash: string
}

const deviceByAgentId = q
  .selectFrom('devices')
  .innerJoin('organizations', 'organizations.id', 'devices.org_id')
  .innerJoin('partners', 'partners.id', 'organizations.partner_id')
  .selectAll('devices')
  .select(tenantState)
  .where('agent_id', '=', '')
/** Built once, because unauthenticated calls with unknown ids must be cheap. */
const readDevice = deviceByAgentId.compile().sql

const maxKnown = 200_000
/** About the duration of a merge. */
const retryHeldAfterSeconds = 30
const never = Number.POSITIVE_INFINITY

/** Enrolled devices by agent id, kept in memory until a row they stand on is written. */
export class AgentDirectory {
  readonly #db: Database
  readonly #clock: Clock
  readonly #limits: RateLimits
  readonly #known: TableCache<KnownDevice>

  constructor(db: Database, clock: Clock, limits: RateLimits) {
    this.#db = db
    this.#clock = clock
    this.#limits = limits
    this.#known = new TableCache(db, ['devices', 'organizations', 'partners'], maxKnown)
  }

  readonly identify = (request: FastifyRequest, access: Extract<Access, { who: 'agent' }>): DeviceActor => {
    const { origin } = request
    const agentId = agentIdOf(request)
    // The second check, after the body has arrived, is not counted again.
    const isCounted = request.actor !== null
    const known = this.find(agentId)
    if (!isCounted) this.#limits.consume('agent_address', callerKey(known, origin))
    const { device, role } = this.authenticate(known, request.headers.authorization)
    // Counted after authentication: a stranger who knows the id cannot use up the device's limit.
    if (!isCounted) this.#limits.consume('agent', agentId)
    if (device.status === 'decommissioned') throw new AppError('device_decommissioned')
    if (device.status === 'quarantined' && device.surface !== 'drain') throw new AppError('device_quarantined')
    if (device.surface === 'held') throw new AppError('organization_merging', { retryAfter: retryHeldAfterSeconds })
    // The one refusal of this kind that agents know without a `message`.
    if (device.surface === 'drain' && !access.whileDraining)
      throw new AppError('tenant_offboarding', { message: undefined })
    if (!access.roles.includes(role)) throw new AppError('agent_role_not_allowed')
    return actorOf(device, role, origin)
  }

  /** Checks the token only, not what the device may do. @throws AppError `agent_unauthorized` and the like */
  authenticate(
    device: KnownDevice | undefined,
    authorization: string | undefined,
  ): { device: KnownDevice; role: AgentRole; identity: AgentIdentity } {
    const [, token] = /^Bearer (\S+)$/.exec(authorization ?? '') ?? []
    if (!token) throw new AppError('agent_unauthorized')
    if (!token.startsWith('brz_')) throw new AppError('agent_token_format')
    if (device && device.hashes.length === 0) throw new AppError('re_enrollment_required')
    const presented = sha256(token)
    const now = this.#clock.now()
    const match = device?.hashes.find(({ hash, expiresAtMs }) => equalSecrets(hash, presented) && expiresAtMs > now)
    if (!device || !match || device.isSuspended || device.surface === 'closed') throw new AppError('agent_credentials')
    const { role, hash: tokenHash } = match
    return { device, role, identity: { deviceId: device.deviceId, agentId: device.agentId, role, tokenHash } }
  }

  /** The device as it is now, as long as the token of the identity is one of its own. */
  holderOf({ deviceId, agentId, role, tokenHash }: AgentIdentity): KnownDevice | undefined {
    const device = this.find(agentId)
    const now = this.#clock.now()
    const isHeld = device?.hashes.some(
      (held) => held.role === role && held.hash === tokenHash && held.expiresAtMs > now,
    )
    return isHeld && device?.deviceId === deviceId ? device : undefined
  }

  find(agentId: string): KnownDevice | undefined {
    return this.#known.get(agentId, () => this.#read(agentId))
  }

  #read(agentId: string): KnownDevice | undefined {
    const row = this.#db.statement<InferResult<typeof deviceByAgentId>[number]>(readDevice).get(agentId)
    if (!row) return undefined
    return {
      deviceId: row.id,
      agentId,
      orgId: row.org_id,
      siteId: row.site_id,
      hostname: row.hostname,
      status: row.status,
      surface: surfaceOf(row),
      isSuspended: row.agent_token_suspended_at !== null,
      hashes: [
        ...hashOf('agent', row.agent_token_hash, null),
        ...hashOf('agent', row.previous_token_hash, row.previous_token_expires_at),
        ...hashOf('agent', row.pending_token_hash, row.pending_token_expires_at),
        ...hashOf('watchdog', row.watchdog_token_hash, null),
      ],
      facts: {
        hostname: row.hostname,
        os_version: row.os_version,
        os_build: row.os_build,
        agent_version: row.agent_version,
        watchdog_version: row.watchdog_version,
        backup_version: row.backup_version,
        agent_server_url: row.agent_server_url,
        last_user: row.last_user,
        pending_reboot: row.pending_reboot,
        is_headless: row.is_headless,
        battery_status: row.battery_status,
        trust_fingerprints: row.trust_fingerprints,
        uninstall_intent_at: row.uninstall_intent_at,
        ...(row.device_role_source === 'auto' && { device_role: row.device_role }),
        is_virtual: row.is_virtual,
        virtualization_platform: row.virtualization_platform,
      },
      wanIp: row.wan_ip,
    }
  }
}

/** From the address of the request. */
export function agentIdOf({ params }: FastifyRequest): string {
  if (!isRecord(params) || typeof params.agentId !== 'string') throw new Error('The address has no agent id')
  return params.agentId
}

/** What a limit on calls counts by. Ids nobody has share one window per address: they cost no memory to make up. */
export const callerKey = (device: KnownDevice | undefined, { ip }: Origin): string =>
  `${device?.agentId ?? 'unknown'} ${limitKey(ip)}`

export const actorOf = (device: KnownDevice, role: AgentRole, origin: Origin): DeviceActor => ({
  kind: 'device',
  deviceId: device.deviceId,
  agentId: device.agentId,
  hostname: device.hostname,
  orgId: device.orgId,
  siteId: device.siteId,
  role,
  origin,
})

const hashOf = (role: AgentRole, hash: string | null, expiresAt: string | null) =>
  hash === null ? [] : [{ role, hash, expiresAtMs: expiresAt === null ? never : Date.parse(expiresAt) }]
