import { type Selectable, sql } from 'kysely'
import type { deviceSoftware } from '../../../shared/api/devices.ts'
import type { InstalledSoftware } from '../../../shared/device/inventory.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { contains } from '../../db/like.ts'
import { q } from '../../db/query.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { DeviceActor } from '../../platform/actor.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import { sha256 } from '../../platform/secrets.ts'
import type { DeviceSoftwareTable } from './tables.ts'

/** Rows written in one transaction, which takes a few milliseconds. */
const rowsPerBatch = 1000
/** Rows searched in one step; that takes a millisecond or two however long the names are. */
const scannedPerStep = 500

const insertRow = `INSERT INTO device_software
  (device_id, report, name, version, position, vendor, install_date, install_location, uninstall_string)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

type SoftwareRow = Selectable<DeviceSoftwareTable>

const inOrder = (deviceId: string, report: number) =>
  q
    .selectFrom('device_software')
    .selectAll()
    .where('device_id', '=', deviceId)
    .where('report', '=', report)
    .orderBy(sql`name collate nocase`)
    .orderBy('version')
    .orderBy('position')

const isCalled = (search: string) =>
  sql<boolean>`(${contains(sql.ref('name'), search)} or ${contains(sql.ref('vendor'), search)})`

const softwareView = (row: SoftwareRow) => ({
  name: row.name,
  version: row.version || null,
  vendor: row.vendor,
  installDate: row.install_date,
  installLocation: row.install_location,
  uninstallString: row.uninstall_string,
})

/**
 * What is installed on devices. A list may have ten thousand rows: it is written a part at a time under a number of its
 * own, and takes the former one's place when it is complete.
 */
export class SoftwareReports {
  readonly #db: Database
  readonly #clock: Clock
  readonly #live: LiveEvents
  /** One list of a device at a time, in the order they came. */
  readonly #writing = new Map<string, Promise<void>>()

  constructor(db: Database, clock: Clock, live: LiveEvents) {
    this.#db = db
    this.#clock = clock
    this.#live = live
  }

  /** Resolves when the list is on disk; one that is known already costs a hash. */
  async report(actor: DeviceActor, software: InstalledSoftware[]): Promise<void> {
    const { deviceId } = actor
    const before = this.#writing.get(deviceId) ?? Promise.resolve()
    const write = before.catch(() => {}).then(() => this.#replace(actor, software))
    this.#writing.set(deviceId, write)
    try {
      await write
    } finally {
      if (this.#writing.get(deviceId) === write) this.#writing.delete(deviceId)
    }
  }

  *list(
    deviceId: string,
    { page, limit, search }: QueryOf<typeof deviceSoftware>,
  ): Steps<ReplyOf<typeof deviceSoftware>> {
    const { report } = this.#current(deviceId)
    const offset = (page - 1) * limit
    const { rows, total } = search
      ? yield* this.#found(deviceId, report, search, limit, offset)
      : { rows: this.#page(deviceId, report, limit, offset), total: this.#count(deviceId, report) }
    // A new report replaced this list while it was searched.
    if (search && this.#current(deviceId).report !== report) return yield* this.list(deviceId, { page, limit, search })
    return { data: rows.map(softwareView), thirdPartyUpdatesManaged: false, pagination: { page, limit, total } }
  }

  #page(deviceId: string, report: number, limit: number, offset: number): SoftwareRow[] {
    return this.#db.all(inOrder(deviceId, report).limit(limit).offset(offset))
  }

  #count(deviceId: string, report: number): number {
    const count = q
      .selectFrom('device_software')
      .select((select) => select.fn.countAll<number>().as('total'))
      .where('device_id', '=', deviceId)
      .where('report', '=', report)
    return this.#db.first(count)?.total ?? 0
  }

  /** Looks at each row of the list; keeps those of the page. */
  *#found(deviceId: string, report: number, search: string, limit: number, offset: number) {
    const all = this.#count(deviceId, report)
    const rows: SoftwareRow[] = []
    let total = 0
    for (let from = 0; from < all; from += scannedPerStep) {
      const some = inOrder(deviceId, report).limit(scannedPerStep).offset(from).as('some')
      const hits = this.#db.all(q.selectFrom(some).selectAll().where(isCalled(search)))
      for (const hit of hits) {
        if (total >= offset && rows.length < limit) rows.push(hit)
        total++
      }
      yield
    }
    return { rows, total }
  }

  async #replace(actor: DeviceActor, software: InstalledSoftware[]): Promise<void> {
    const { deviceId, orgId, siteId } = actor
    const content_hash = sha256(JSON.stringify(software))
    const current = this.#current(deviceId)
    if (current.content_hash === content_hash) return
    const report = current.report + 1
    // Rows of a report that a crash cut off.
    this.#forgetOthers(deviceId, current.report)
    for (let from = 0; from < software.length; from += rowsPerBatch) {
      if (from > 0) await new Promise(setImmediate)
      this.#write(deviceId, report, software.slice(from, from + rowsPerBatch), from)
    }
    this.#db.transaction(() => {
      const row = { content: String(report), content_hash, reported_at: isoNow(this.#clock) }
      this.#db.run(
        q
          .insertInto('device_reports')
          .values({ device_id: deviceId, kind: 'software', ...row })
          .onConflict((conflict) => conflict.columns(['device_id', 'kind']).doUpdateSet(row)),
      )
      this.#forgetOthers(deviceId, report)
      this.#db.afterCommit(() =>
        this.#live.publish({ type: 'device.inventory', deviceId, orgId, siteId, part: 'software' }),
      )
    })
  }

  #write(deviceId: string, report: number, software: InstalledSoftware[], from: number): void {
    const insert = this.#db.statement(insertRow)
    this.#db.transaction(() => {
      software.forEach((item, index) => {
        const { name, version, vendor, installDate, installLocation, uninstallString } = item
        const facts = [vendor, installDate, installLocation, uninstallString]
        insert.run(deviceId, report, name, version ?? '', from + index, ...facts)
      })
    })
  }

  #forgetOthers(deviceId: string, report: number): void {
    this.#db.run(q.deleteFrom('device_software').where('device_id', '=', deviceId).where('report', '!=', report))
  }

  /** The list shown now; number 0 before the first. */
  #current(deviceId: string): { report: number; content_hash: string | null } {
    const row = this.#db.first(
      q
        .selectFrom('device_reports')
        .select(['content', 'content_hash'])
        .where('device_id', '=', deviceId)
        .where('kind', '=', 'software'),
    )
    return { report: row ? Number(row.content) : 0, content_hash: row?.content_hash ?? null }
  }
}
