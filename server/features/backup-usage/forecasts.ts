import type { BackupForecast, UsageForecast } from '../../../shared/api/backup-usage.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { isConfined, type UserActor } from '../../platform/actor.ts'
import { type Clock, day, iso } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { backupOrganization } from '../backup-storage/index.ts'
import type { BackupStore } from '../backup-store/index.ts'
import { type DayFigure, daysUntil, mostDays, trendOf } from './trend.ts'

interface ForecastServices {
  db: Database
  clock: Clock
}

/** When it is time to do something about it. */
const warningDays = 14
/** A disk that has become larger or smaller is another one. */
const sameDisk = 0.01

/** How much longer there is room. */
export class Forecasts {
  readonly #services: ForecastServices

  constructor(services: ForecastServices) {
    this.#services = services
  }

  /**
   * The store belongs to the whole organization: somebody who sees a part of it does not see how full it is.
   * @throws AppError `backup_org_required`, `permission_denied`
   */
  async read(
    actor: UserActor,
    named: string | undefined,
    store: Pick<BackupStore, 'disk' | 'room'>,
  ): Promise<BackupForecast> {
    const { db } = this.#services
    const orgId = backupOrganization(db, actor, named)
    if (isConfined(actor)) throw new AppError('permission_denied')
    const { totalBytes, freeBytes, reservedBytes } = await store.disk()
    const left = Math.max(0, freeBytes - reservedBytes)
    const days = this.#diskDays()
    const { quotaBytes, usedBytes } = store.room(orgId)
    return {
      disk: {
        freeBytes: left,
        reservedBytes,
        totalBytes: actor.isPlatformAdmin ? totalBytes : null,
        days: actor.isPlatformAdmin
          ? days.map(({ day, total_bytes, free_bytes }) => ({ day, usedBytes: total_bytes - free_bytes }))
          : [],
        forecast: this.#forecast(usedOf(days), left),
      },
      quota:
        quotaBytes === null
          ? null
          : { quotaBytes, usedBytes, forecast: this.#forecast(this.#inStoreOf(orgId), quotaBytes - usedBytes) },
    }
  }

  /** When the disk is full, if that is soon; by what was known of it last. */
  diskFullSoon(): { at: string; isFull: boolean } | null {
    const days = this.#diskDays()
    const newest = days.at(-1)
    if (!newest) return null
    const left = newest.free_bytes - newest.reserved_bytes
    const { fullAt } = this.#forecast(usedOf(days), left)
    const now = this.#services.clock.now()
    if (left <= 0) return { at: iso(now), isFull: true }
    return fullAt !== null && Date.parse(fullAt) <= now + warningDays * day ? { at: fullAt, isFull: false } : null
  }

  #forecast(figures: readonly DayFigure[], leftBytes: number): UsageForecast {
    const { clock } = this.#services
    const daysKnown = figures.length === 0 ? 0 : (figures.at(-1)?.day ?? 0) - (figures[0]?.day ?? 0)
    const trend = trendOf(figures)
    const none = { daysKnown, fullAt: null, earliestAt: null, latestAt: null }
    if (!trend) return { ...none, trend: 'unknown', bytesPerDay: null }
    const at = (bytesPerDay: number) => {
      const days = daysUntil(leftBytes, bytesPerDay)
      return days === null ? null : iso(clock.now() + days * day)
    }
    const bytesPerDay = Math.round(trend.bytesPerDay)
    const fullAt = at(trend.bytesPerDay)
    if (fullAt === null) return { ...none, trend: 'steady', bytesPerDay }
    return { daysKnown, trend: 'growing', bytesPerDay, fullAt, earliestAt: at(trend.most), latestAt: at(trend.least) }
  }

  #diskDays() {
    const { db, clock } = this.#services
    const first = iso(clock.now() - mostDays * day).slice(0, 10)
    const days = db.all(q.selectFrom('backup_disk_days').selectAll().where('day', '>=', first).orderBy('day'))
    const newest = days.at(-1)
    const isOther = ({ total_bytes }: (typeof days)[number]) =>
      newest !== undefined && Math.abs(total_bytes - newest.total_bytes) > newest.total_bytes * sameDisk
    return days.slice(days.findLastIndex(isOther) + 1)
  }

  #inStoreOf(orgId: string): DayFigure[] {
    const { db, clock } = this.#services
    const first = iso(clock.now() - mostDays * day).slice(0, 10)
    const rows = db.all(
      q
        .selectFrom('backup_usage_days')
        .select(['day', (select) => select.fn.sum<number>('in_store_bytes').as('bytes')])
        .where('org_id', '=', orgId)
        .where('in_store_bytes', 'is not', null)
        .where('day', '>=', first)
        .groupBy('day')
        .orderBy('day'),
    )
    return rows.map(({ day: one, bytes }) => ({ day: numberOf(one), bytes }))
  }
}

const usedOf = (days: readonly { day: string; total_bytes: number; free_bytes: number }[]): DayFigure[] =>
  days.map(({ day: one, total_bytes, free_bytes }) => ({ day: numberOf(one), bytes: total_bytes - free_bytes }))

const numberOf = (date: string): number => Date.parse(date) / day
