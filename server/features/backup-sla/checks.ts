import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import { inPieces, inSteps, untilDone } from '../../lib/pieces.ts'
import { type Clock, day, hour, iso, isoNow } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import { frozenBecause } from '../organization-access/index.ts'
import { type Breach, type Changes, changesOf } from './breaches.ts'
import { noneOpen, openEvents, typesIn } from './open-events.ts'
import type { SlaAttention } from './sla-attention.ts'
import { targetsOf } from './targets.ts'
import type { SlaConfigRow } from './views.ts'

interface CheckServices {
  db: Database
  clock: Clock
  live: LiveEvents
  attention: SlaAttention
}

/** Looked at together; a few milliseconds. */
const devicesPerPiece = 500
/** What is over is kept for so long. */
const keptMs = 365 * day
const settledEveryMs = hour

/** What a check is about: one under way ends when somebody changes it. */
const asks = (config: SlaConfigRow | null) =>
  config && JSON.stringify({ ...config, name: null, updated_at: null, checked_at: null, device_count: null })

/** Compares what is promised with the backups there are: breaches open and resolve by themselves. */
export class SlaChecks {
  readonly #services: CheckServices
  /** Organizations whose attention items were brought up to date since the start, and when, by the monotonic clock. */
  readonly #settledAt = new Map<string, number>()

  constructor(services: CheckServices) {
    this.#services = services
  }

  async run(signal: AbortSignal): Promise<void> {
    const { db } = this.#services
    const active = db.all(
      q.selectFrom('backup_sla_configs').select(['id', 'org_id']).where('is_active', '=', 1).orderBy('org_id'),
    )
    const changed = new Set<string>()
    for (const { id, org_id } of active) if ((await this.#check(id, signal)) > 0) changed.add(org_id)
    for (const orgId of this.#organizations()) {
      if (changed.has(orgId) || this.#isSettlingDue(orgId)) await this.#settle(orgId, signal)
      await inPieces(signal, (maxRows) => this.#forgetOld(orgId, maxRows))
    }
  }

  /** After somebody changed what is promised, who sees at once what came of it. */
  async checkNow({ id, orgId }: { id: string; orgId: string }): Promise<void> {
    await this.#check(id, untilDone)
    await this.settle(orgId)
  }

  /** What needs attention, as the events of the organization are now. */
  async settle(orgId: string): Promise<void> {
    await this.#settle(orgId, untilDone)
    this.#services.live.slaChanged(orgId)
  }

  async #settle(orgId: string, signal: AbortSignal): Promise<void> {
    const { clock, attention } = this.#services
    const now = clock.monotonic()
    await attention.settle(orgId, signal)
    this.#settledAt.set(orgId, now)
  }

  /** Where no event changed it is as it was, unless the appliance was stopped in the middle. */
  #isSettlingDue(orgId: string): boolean {
    const at = this.#settledAt.get(orgId)
    return at === undefined || this.#services.clock.monotonic() - at >= settledEveryMs
  }

  /** Answers how many events were opened or resolved. */
  async #check(id: string, signal: AbortSignal): Promise<number> {
    const { db, clock, live } = this.#services
    const config = this.#checkable(id)
    if (!config) return 0
    const targets = await inSteps(signal, targetsOf(db, config))
    const open = await inSteps(signal, openEvents(db, id))
    let changes = 0
    const opened: Breach[] = []
    const inOneGo = (work: () => number) =>
      db.transaction(() => (asks(this.#checkable(id)) === asks(config) ? work() : 0))
    for (const [types, devices] of Map.groupBy(targets, (deviceId) => open.get(deviceId) ?? noneOpen)) {
      await inPieces(signal, (maxRows) => {
        const deviceIds = devices.splice(0, Math.min(maxRows, devicesPerPiece))
        return inOneGo(() => {
          const { begun, over } = changesOf(db, config, { deviceIds, open: types }, clock.now())
          const now = this.#open(config, begun)
          opened.push(...now)
          changes += now.length + resolveEvents(db, clock, id, over)
          return deviceIds.length
        })
      })
    }
    const over = [...open].flatMap(([deviceId, types]) =>
      targets.has(deviceId) ? [] : typesIn(types).map((type) => ({ deviceId, type })),
    )
    await inPieces(signal, (maxRows) => {
      const some = over.splice(0, maxRows)
      return inOneGo(() => {
        changes += resolveEvents(db, clock, id, some)
        return some.length
      })
    })
    inOneGo(() =>
      db.run(
        q
          .updateTable('backup_sla_configs')
          .set({ checked_at: isoNow(clock), device_count: targets.size })
          .where('id', '=', id),
      ),
    )
    if (changes > 0) live.slaChanged(config.org_id)
    if (config.alert_on_breach === 1) await this.#tell(config, opened, signal)
    return changes
  }

  /** What is turned off promises nothing; and of what is frozen nothing is written. */
  #checkable(id: string): SlaConfigRow | null {
    const { db } = this.#services
    const config = db.first(q.selectFrom('backup_sla_configs').selectAll().where('id', '=', id))
    if (config?.is_active !== 1) return null
    const org = db.one(q.selectFrom('organizations').select(['id', 'status']).where('id', '=', config.org_id))
    const isAtWork = (org.status === 'active' || org.status === 'trial') && frozenBecause(db, org) === null
    return isAtWork ? config : null
  }

  /** What somebody else opened meanwhile stays as it is. Answers those that were opened. */
  #open(config: SlaConfigRow, found: readonly Breach[]): Breach[] {
    const { db, clock } = this.#services
    const detected_at = isoNow(clock)
    return found.filter(
      ({ deviceId, type, details }) =>
        db.run(
          q
            .insertInto('backup_sla_events')
            .values({
              id: randomUUIDv7(),
              org_id: config.org_id,
              sla_config_id: config.id,
              device_id: deviceId,
              event_type: type,
              details: toJson(details),
              detected_at,
              is_mail_due: config.alert_on_breach,
            })
            .onConflict((conflict) => conflict.doNothing()),
        ) > 0,
    )
  }

  async #tell({ id, org_id: orgId }: SlaConfigRow, opened: Breach[], signal: AbortSignal): Promise<void> {
    const { db, live } = this.#services
    if (live.count === 0) return
    const siteOf = db.statement<string>('SELECT site_id FROM devices WHERE id = ? AND org_id = ?').pluck()
    await inPieces(signal, (maxRows) => {
      const some = opened.splice(0, maxRows)
      for (const { deviceId, type: eventType, details } of some) {
        const siteId = siteOf.get(deviceId, orgId)
        if (!siteId) continue
        live.publish({ type: 'backup.sla_breach', deviceId, orgId, siteId, slaConfigId: id, eventType, details })
      }
      return some.length
    })
  }

  #organizations(): string[] {
    return this.#services.db
      .statement<string>(
        `SELECT org_id FROM backup_sla_configs
         UNION SELECT org_id FROM backup_attention WHERE kind = 'sla_breach' AND resolved_at IS NULL`,
      )
      .pluck()
      .all()
  }

  #forgetOld(orgId: string, maxRows: number): number {
    const { db, clock } = this.#services
    const old = q
      .selectFrom('backup_sla_events')
      .select('id')
      .where('org_id', '=', orgId)
      .where('resolved_at', '<', iso(clock.now() - keptMs))
    return db.run(q.deleteFrom('backup_sla_events').where('id', 'in', old.limit(maxRows)))
  }
}

/** Joins the transaction under way. Answers how many there were. */
function resolveEvents(db: Database, clock: Clock, configId: string, over: Changes['over']): number {
  const resolve = db.statement(
    `UPDATE backup_sla_events SET ${resolved}
     WHERE sla_config_id = @configId AND device_id = @deviceId AND event_type = @type AND resolved_at IS NULL`,
  )
  let count = 0
  for (const one of over) count += resolve.run({ ...one, configId, now: isoNow(clock) }).changes
  return count
}

/** Of a device that leaves. Joins the transaction under way. */
export function resolveEventsOf(db: Database, clock: Clock, deviceId: string): void {
  db.statement(`UPDATE backup_sla_events SET ${resolved} WHERE device_id = @deviceId AND resolved_at IS NULL`).run({
    deviceId,
    now: isoNow(clock),
  })
}

/** Nobody is mailed about what is over. */
const resolved = 'resolved_at = @now, is_mail_due = 0'
