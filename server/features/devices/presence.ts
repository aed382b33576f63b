import type { DeviceStatus } from '../../../shared/api/devices.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { unlimitedReach } from '../../db/reach.ts'
import type { Actor } from '../../platform/actor.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, hour, iso, isoNow, minute, second } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import { type Device, findDevice, updateDevice } from './store.ts'

/** States that a heartbeat turns into online; it does not undo a decision of an administrator. */
const wakeable: readonly DeviceStatus[] = ['pending', 'offline', 'updating', 'online']
const silenceable: readonly DeviceStatus[] = ['online', 'updating']
/** Silent devices saved in one transaction, which takes about five milliseconds. */
const devicesPerBatch = 20

/** How much longer than its interval a reconnecting agent may take to be heard again. */
const returnMs = 30 * second

/** Why the appliance itself changed a status, as its audit event says it. */
type Cause = 'socket closed' | 'silent'

/** Whether devices are there, by their heartbeats and their sockets. */
export class Presence {
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit
  readonly #live: LiveEvents
  readonly #silenceMs: number
  readonly #graceMs: number
  readonly #startedAt: number
  /** When each device was last heard, on the clock that never jumps. */
  readonly #heard = new Map<string, number>()
  readonly #closing = new Map<string, NodeJS.Timeout>()

  constructor(db: Database, clock: Clock, audit: Audit, live: LiveEvents, heartbeatIntervalSeconds: number) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
    this.#live = live
    const intervalMs = heartbeatIntervalSeconds * second
    this.#silenceMs = heartbeatIntervalSeconds > 150 ? 2 * intervalMs + 30 * second : 5 * minute
    this.#graceMs = intervalMs
    this.#startedAt = clock.monotonic()
  }

  /**
   * A heartbeat or the opening of a socket. An open socket by itself, uploads and results are no sign of life.
   * @returns the status from now on
   */
  heard(device: { id: string; status: DeviceStatus }, actor: Actor): DeviceStatus {
    this.#heard.set(device.id, this.#clock.monotonic())
    const closing = this.#closing.get(device.id)
    if (closing) {
      clearTimeout(closing)
      this.#closing.delete(device.id)
    }
    return device.status === 'online' || !wakeable.includes(device.status)
      ? device.status
      : this.#move(device.id, wakeable, 'online', actor)
  }

  /** The socket closed. A reconnect within one interval is ignored; after it the device is offline. */
  socketClosed(deviceId: string): void {
    clearTimeout(this.#closing.get(deviceId))
    this.#closing.set(
      deviceId,
      setTimeout(() => {
        this.#closing.delete(deviceId)
        this.#move(deviceId, ['online'], 'offline', systemActor('devices.socket-closed'), 'socket closed')
      }, this.#graceMs).unref(),
    )
  }

  startUpdating(deviceId: string, actor: Actor): void {
    this.#move(deviceId, ['online'], 'updating', actor)
  }

  /**
   * Turns every device offline that has been silent too long. Those heard since the start go by the clock that never
   * jumps; of the others only the time in their record is known. After a power cut that may be the whole fleet, so a
   * few are saved at a time and others get their turn in between.
   */
  async markSilent(): Promise<void> {
    const now = this.#clock.monotonic()
    const fallenSilent = [...this.#heard].filter(([, at]) => now - at > this.#silenceMs)
    // After a pause of the appliance itself every record is old: devices get time to come back first.
    const isSettled = now - this.#startedAt > this.#graceMs + returnMs
    const neverHeard = isSettled ? this.#lastSeenTooLongAgo().filter((id) => !this.#heard.has(id)) : []
    const silent: [id: string, heardAt?: number][] = [...fallenSilent, ...neverHeard.map((id): [string] => [id])]
    for (let from = 0; from < silent.length; from += devicesPerBatch) {
      if (from > 0) await new Promise(setImmediate)
      this.#db.transaction(() => {
        for (const [id, heardAt] of silent.slice(from, from + devicesPerBatch))
          if (this.#heard.get(id) === heardAt) this.#silence(id)
      })
    }
  }

  #silence(deviceId: string): void {
    this.#heard.delete(deviceId)
    this.#move(deviceId, silenceable, 'offline', systemActor('devices.mark-silent'), 'silent')
  }

  /** A time in the future was written before the machine's clock was set back. */
  #lastSeenTooLongAgo(): string[] {
    const oldest = iso(this.#clock.now() - this.#silenceMs)
    const future = iso(this.#clock.now() + this.#silenceMs)
    const rows = this.#db.all(
      q
        .selectFrom('devices')
        .select('id')
        .where('status', 'in', silenceable)
        .where((where) =>
          where.or([
            where('last_seen_at', '<', oldest),
            where('last_seen_at', '>', future),
            where('last_seen_at', 'is', null),
          ]),
        ),
    )
    return rows.map(({ id }) => id)
  }

  /** Ends maintenance windows that have passed. */
  endMaintenance(): void {
    const due = this.#db.all(
      q
        .selectFrom('devices')
        .select('id')
        .where('status', '=', 'maintenance')
        .where('maintenance_until', '<=', isoNow(this.#clock)),
    )
    for (const { id } of due) this.leaveMaintenance(id, systemActor('devices.end-maintenance'))
  }

  leaveMaintenance(deviceId: string, actor: Actor): void {
    const heardAt = this.#heard.get(deviceId)
    const isHere = heardAt !== undefined && this.#clock.monotonic() - heardAt < this.#silenceMs
    this.#move(deviceId, ['maintenance'], isHere ? 'online' : 'offline', actor)
  }

  /** A day after its package was removed and without a sign of life since, a device is gone. */
  reapUninstalled(decommission: (deviceId: string) => void): void {
    const dayAgo = iso(this.#clock.now() - 24 * hour)
    const gone = this.#db.all(
      q
        .selectFrom('devices')
        .select('id')
        .where('uninstall_intent_at', '<', dayAgo)
        .where('status', '!=', 'decommissioned')
        .where((where) =>
          where.or([where('last_seen_at', 'is', null), where('last_seen_at', '<', where.ref('uninstall_intent_at'))]),
        ),
    )
    for (const { id } of gone) decommission(id)
  }

  announce(device: Pick<Device, 'id' | 'org_id' | 'site_id' | 'status' | 'last_seen_at'>): void {
    this.#live.publish({
      type: 'device.status',
      deviceId: device.id,
      orgId: device.org_id,
      siteId: device.site_id,
      status: device.status,
      lastSeenAt: device.last_seen_at,
    })
  }

  stop(): void {
    for (const timer of this.#closing.values()) clearTimeout(timer)
  }

  #move(deviceId: string, from: readonly DeviceStatus[], to: DeviceStatus, actor: Actor, cause?: Cause): DeviceStatus {
    return this.#db.transaction(() => {
      const device = findDevice(this.#db, unlimitedReach, deviceId)
      if (!device || device.status === to || !from.includes(device.status)) return device?.status ?? to
      const now = isoNow(this.#clock)
      const after = { ...device, status: to, ...(to === 'online' && { last_seen_at: now }) }
      updateDevice(this.#db, deviceId, {
        status: to,
        last_seen_at: after.last_seen_at,
        ...(device.status === 'maintenance' && { maintenance_until: null }),
        updated_at: now,
      })
      this.#audit(actor, {
        action: 'agent.heartbeat.state_change',
        resourceType: 'device',
        resourceId: deviceId,
        resourceName: device.hostname,
        orgId: device.org_id,
        details: { from: device.status, to, ...(cause && { cause }) },
      })
      this.#db.afterCommit(() => this.announce(after))
      return to
    })
  }
}
