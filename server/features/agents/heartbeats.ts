import type { Updateable } from 'kysely'
import type { heartbeat } from '../../../shared/device/heartbeat.ts'
import { deviceRole, virtualizationPlatform } from '../../../shared/device/inventory.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { unlimitedReach } from '../../db/reach.ts'
import { toJson } from '../../lib/json.ts'
import type { DeviceActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, day, isoNow, minute } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Tables } from '../../tables.ts'
import type { CommandDelivery } from '../commands/index.ts'
import { findDevice, type Presence, updateDevice } from '../devices/index.ts'
import type { AgentDirectory, KnownDevice } from './directory.ts'
import { type Telemetry, withoutUndefined } from './telemetry.ts'

type HeartbeatBody = BodyOf<typeof heartbeat>

export interface Trust {
  caPem(): string | null
  trustedFingerprints(): readonly string[]
}

interface HeartbeatServices {
  db: Database
  clock: Clock
  audit: Audit
  directory: AgentDirectory
  presence: Presence
  delivery: CommandDelivery
  telemetry: Telemetry
  trust: Trust
}

const watchdogSilence = 15 * minute

export class Heartbeats {
  readonly #services: HeartbeatServices

  constructor(services: HeartbeatServices) {
    this.#services = services
  }

  beat(actor: DeviceActor, body: HeartbeatBody): ReplyOf<typeof heartbeat> {
    const device = this.#services.directory.find(actor.agentId)
    if (!device) throw new AppError('device_not_found')
    if (body.role && body.role !== actor.role)
      throw new AppError('re_enrollment_required', { expected: actor.role, declared: body.role })
    if (actor.role === 'watchdog') this.#watchdogBeat(device)
    else this.#agentBeat(actor, device, body)
    const trust = this.#missingTrust(body.trustFingerprints)
    return {
      commands: this.#services.delivery.claim(actor),
      configUpdate: null,
      renewCert: false,
      rotateToken: false,
      helperEnabled: false,
      uacInterceptionEnabled: false,
      ...(trust && { trust }),
    }
  }

  #agentBeat(actor: DeviceActor, device: KnownDevice, body: HeartbeatBody): void {
    const { presence, telemetry } = this.#services
    presence.heard({ id: device.deviceId, status: device.status }, actor)
    if (actor.origin.ip !== device.wanIp) this.#sourceChanged(actor, device)
    const reported = withoutUndefined(factsOf(body))
    telemetry.add({
      deviceId: device.deviceId,
      orgId: device.orgId,
      siteId: device.siteId,
      metrics: body.metrics,
      uptimeSeconds: wholeSeconds(body.uptime),
      reported,
      changes: differing(device.facts, reported),
    })
  }

  /** The watchdog also reports while the agent is down, so it does not change the status of the device. */
  #watchdogBeat(device: KnownDevice): void {
    const { db, clock } = this.#services
    const row = findDevice(db, unlimitedReach, device.deviceId)
    if (!row) return
    const isSilent = row.last_seen_at === null || clock.now() - Date.parse(row.last_seen_at) > watchdogSilence
    const silentSince = isSilent ? (row.main_agent_silent_since ?? isoNow(clock)) : null
    const status = isSilent ? 'failover' : 'connected'
    if (row.watchdog_status !== status || row.main_agent_silent_since !== silentSince)
      updateDevice(db, device.deviceId, { watchdog_status: status, main_agent_silent_since: silentSince })
  }

  #sourceChanged(actor: DeviceActor, device: KnownDevice): void {
    const { db, clock, audit } = this.#services
    db.transaction(() => {
      const row = findDevice(db, unlimitedReach, device.deviceId)
      if (!row) return
      const now = isoNow(clock)
      const isQuiet = row.wan_ip_audited_at !== null && clock.now() - Date.parse(row.wan_ip_audited_at) < day
      const isNews = row.wan_ip !== null && !isQuiet
      updateDevice(db, device.deviceId, { wan_ip: actor.origin.ip, ...(isNews && { wan_ip_audited_at: now }) })
      if (isNews)
        audit(actor, {
          action: 'agent.source.ip.changed',
          resourceType: 'device',
          resourceId: device.deviceId,
          resourceName: device.hostname,
          orgId: device.orgId,
          details: { from: row.wan_ip, to: actor.origin.ip },
        })
    })
  }

  /** The certificates a device lacks, once it has told which ones it trusts. */
  #missingTrust(known: readonly string[] | undefined) {
    const caPem = this.#services.trust.caPem()
    if (!known || caPem === null) return null
    const wanted = this.#services.trust.trustedFingerprints()
    const isSame = wanted.length === known.length && wanted.every((fingerprint) => known.includes(fingerprint))
    return isSame ? null : { caPem }
  }
}

function factsOf(body: HeartbeatBody): Updateable<Tables['devices']> {
  const role = deviceRole.safeParse(body.deviceRole)
  const platform = virtualizationPlatform.safeParse(body.virtualizationPlatform)
  return {
    agent_version: body.agentVersion,
    hostname: body.hostname || undefined,
    os_version: body.osVersion,
    os_build: body.osBuild,
    watchdog_version: body.watchdogVersion,
    // An engine that is gone is no longer reported.
    backup_version: body.backupVersion ?? null,
    agent_server_url: body.serverUrl,
    last_user: body.lastUser,
    pending_reboot: flag(body.pendingReboot),
    is_headless: flag(body.isHeadless),
    battery_status: body.battery && toJson<unknown>(body.battery),
    trust_fingerprints: body.trustFingerprints && toJson(body.trustFingerprints),
    // A heartbeat cancels an announced uninstallation.
    uninstall_intent_at: null,
    device_role: role.success ? role.data : undefined,
    is_virtual: flag(body.isVirtual),
    virtualization_platform: platform.success ? platform.data : undefined,
  }
}

/** Impossible values are dropped: they would not fit the column. */
const wholeSeconds = (uptime = -1): number | null =>
  uptime >= 0 && uptime <= Number.MAX_SAFE_INTEGER ? Math.round(uptime) : null

const flag = (value: boolean | undefined) => (value === undefined ? undefined : value ? (1 as const) : (0 as const))

/** The stored columns whose value differs. */
function differing(
  known: Record<string, unknown>,
  reported: Updateable<Tables['devices']>,
): Updateable<Tables['devices']> {
  return Object.fromEntries(
    Object.entries(reported).filter(([column, value]) => column in known && known[column] !== value),
  )
}
