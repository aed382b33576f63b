import { type Selectable, sql } from 'kysely'
import type { SlaDashboard, SlaHistory } from '../../../shared/api/backup-sla.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Reach } from '../../db/reach.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Clock, day, iso } from '../../platform/clock.ts'
import { backupOrganization } from '../backup-storage/index.ts'
import type { SlaEventTable } from './tables.ts'

type EventTimes = Pick<Selectable<SlaEventTable>, 'device_id' | 'detected_at' | 'resolved_at'>

/** A few milliseconds. */
const rowsPerRead = 500

interface DashboardServices {
  db: Database
  clock: Clock
}

/** How far promises are kept, as far as the actor sees the devices. */
export class SlaReports {
  readonly #services: DashboardServices

  constructor(services: DashboardServices) {
    this.#services = services
  }

  *dashboard(actor: UserActor, named: string | undefined): Steps<SlaDashboard> {
    const { db, clock } = this.#services
    const orgId = backupOrganization(db, actor, named)
    const active = q.selectFrom('backup_sla_configs').where('org_id', '=', orgId).where('is_active', '=', 1)
    const activeConfigs = db.one(active.select((select) => select.fn.countAll<number>().as('total'))).total
    const open = db.one(
      eventsOf(orgId, actor)
        .where('resolved_at', 'is', null)
        .select((select) => [
          select.fn.countAll<number>().as('breaches'),
          select.fn.count<number>('device_id').distinct().as('devices'),
          select.fn.count<number>('sla_config_id').distinct().as('configs'),
        ]),
    )
    const averages = this.#averages(orgId, actor)
    const compliantConfigs = Math.max(0, activeConfigs - open.configs)
    let totalEventsLast30d = 0
    // What was found this very moment counts.
    const end = clock.now() + 1
    for (let from = end - 30 * day; from < end; from += day) {
      yield
      totalEventsLast30d += this.#countFound(orgId, actor, from, from + day)
    }
    return {
      activeConfigs,
      compliancePercent: activeConfigs === 0 ? 100 : Math.round((compliantConfigs / activeConfigs) * 100),
      compliantConfigs,
      activeBreaches: open.breaches,
      breachedDevices: open.devices,
      totalEventsLast30d,
      ...averages,
    }
  }

  *history(actor: UserActor, named: string | undefined, days: number): Steps<SlaHistory> {
    const { db, clock } = this.#services
    const orgId = backupOrganization(db, actor, named)
    const now = clock.now()
    const firstDay = now - (now % day) - (days - 1) * day
    const devices = yield* this.#devicesByDay(orgId, actor, firstDay, days)
    const points: SlaHistory['points'] = []
    for (const [at, breached] of devices.entries()) {
      yield
      const start = firstDay + at * day
      const found = this.#countFound(orgId, actor, start, start + day)
      points.push({ timestamp: iso(start), devices: breached, found })
    }
    return { days, points }
  }

  *#devicesByDay(orgId: string, reach: Reach, firstDay: number, days: number): Steps<number[]> {
    const daysOf = new Map<string, Uint8Array>()
    const mark = ({ device_id, detected_at, resolved_at }: EventTimes) => {
      const breached = daysOf.get(device_id) ?? new Uint8Array(days)
      daysOf.set(device_id, breached)
      const from = Math.max(0, Math.floor((Date.parse(detected_at) - firstDay) / day))
      const to = resolved_at === null ? days - 1 : Math.floor((Date.parse(resolved_at) - firstDay) / day)
      breached.fill(1, from, to + 1)
    }
    const events = eventsOf(orgId, reach)
      .select(['id', 'device_id', 'detected_at', 'resolved_at'])
      .orderBy('resolved_at')
      .orderBy('id')
      .limit(rowsPerRead)
    const open = events.where('resolved_at', 'is', null)
    const over = events.where('resolved_at', 'is not', null)
    for (let last = ''; ; ) {
      const rows = this.#services.db.all(open.where('id', '>', last))
      rows.forEach(mark)
      yield
      last = rows.at(-1)?.id ?? ''
      if (rows.length < rowsPerRead) break
    }
    for (let [at, last] = [iso(firstDay), '']; ; ) {
      const rows = this.#services.db.all(over.where(sql<boolean>`(resolved_at, id) > (${at}, ${last})`))
      rows.forEach(mark)
      yield
      const end = rows.at(-1)
      if (!end?.resolved_at || rows.length < rowsPerRead) break
      at = end.resolved_at
      last = end.id
    }
    const breached = [...daysOf.values()]
    return Array.from({ length: days }, (_, at) => breached.reduce((sum, one) => sum + (one[at] ?? 0), 0))
  }

  /** Over the devices whose readiness is known. */
  #averages(orgId: string, reach: Reach): Pick<SlaDashboard, 'avgRpoMinutes' | 'avgRtoMinutes'> {
    const { db, clock } = this.#services
    const { newest, rto } = db.one(
      q
        .selectFrom('backup_readiness')
        .where('org_id', '=', orgId)
        .where(withinReach(reach, 'backup_readiness'))
        .select((select) => [
          sql<number | null>`avg(unixepoch(newest_backup_at))`.as('newest'),
          select.fn.avg<number | null>('estimated_rto_minutes').as('rto'),
        ]),
    )
    return {
      avgRpoMinutes: newest === null ? 0 : Math.max(0, Math.round((clock.now() / 1000 - newest) / 60)),
      avgRtoMinutes: Math.round(rto ?? 0),
    }
  }

  #countFound(orgId: string, reach: Reach, from: number, to: number): number {
    return this.#services.db.one(
      eventsOf(orgId, reach)
        .where('detected_at', '>=', iso(from))
        .where('detected_at', '<', iso(to))
        .select((select) => select.fn.countAll<number>().as('total')),
    ).total
  }
}

const eventsOf = (orgId: string, reach: Reach) =>
  q
    .selectFrom('backup_sla_events')
    .where('backup_sla_events.org_id', '=', orgId)
    .where(withinReach(reach, 'backup_sla_events'))
