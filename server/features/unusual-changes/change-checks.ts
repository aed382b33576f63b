import { randomUUIDv7 } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, hour, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { TaskQueue, Tasks } from '../../platform/tasks/index.ts'
import type { Tables } from '../../tables.ts'
import type { Attention } from '../backup-attention/index.ts'
import type { ApplianceRestic } from '../backup-engine/index.ts'
import type { FileListings } from '../backup-snapshots/index.ts'
import type { ChangeMeasure, FilePair, SnapshotIndex } from '../snapshot-index/index.ts'
import { headsIn, lookInto } from './heads.ts'
import {
  areSpoiled,
  enoughDocuments,
  isUnexplained,
  isWorthALook,
  type Looked,
  pairsLookedInto,
  verdictOf,
} from './verdict.ts'

interface CheckServices {
  db: Database
  clock: Clock
  audit: Audit
  tasks: Tasks
  index: Pick<SnapshotIndex, 'isIndexed' | 'measure'>
  listings: Pick<FileListings, 'isUnderWay' | 'readAnew'>
  restic: Pick<ApplianceRestic, 'openToRead'>
  attention: Attention
}

interface Input {
  snapshotId: string
}

type Snapshot = Selectable<Tables['backup_snapshots']> & { repository_id: string }

interface Finding {
  older: Snapshot
  measure: ChangeMeasure
  looked: Looked | null
  sign: 'content' | 'kinds'
}

const actor = systemActor('backup.unusual-change')

/** A slow change shows over so many backups. */
const backupsBack = 10

/** Compares each new snapshot with the one before, and with one some backups ago. */
export class ChangeChecks {
  readonly #services: CheckServices
  readonly #queue: TaskQueue<Input>

  constructor(services: CheckServices) {
    this.#services = services
    this.#queue = services.tasks.register<Input>({
      name: 'backup.compare',
      description: 'Compares a new snapshot with those before it, for signs of an attack',
      concurrency: 1,
      attemptMs: hour,
      keepMs: 0,
      byHand: ['retry', 'cancel'],
      isObsolete: ({ snapshotId }) => this.#snapshot(snapshotId) === undefined,
      run: ({ input }, { signal }) => this.#run(input, signal),
    })
  }

  /** Joins the transaction in which the snapshot is recorded. */
  checkSoon({ id, orgId }: { id: string; orgId: string }): void {
    this.#queue.add({ id: `backup-compare-${id}`, input: { snapshotId: id }, orgId })
  }

  async #run({ snapshotId }: Input, signal: AbortSignal): Promise<void> {
    const { index, listings } = this.#services
    const newer = this.#snapshot(snapshotId)
    if (!newer) return
    const stored = this.#storedBytes(newer.repository_id)
    const [previous] = this.#earlier(newer, 1)
    // What somebody should look at already is not told of twice.
    if (!previous || this.#isOpen(newer)) {
      this.#remember(newer, stored)
      return
    }
    if (listings.isUnderWay(newer.id)) throw new Error('The list of its files is not there yet')
    if (!(await index.isIndexed(newer.repository_id, newer.snapshot_id))) return
    const grown = stored === null ? 0 : stored - (this.#rememberedBytes(newer.repository_id) ?? stored)
    const finding = (await this.#compare(previous, newer, grown, signal)) ?? (await this.#compareSlow(newer, signal))
    this.#save(newer, stored, finding)
  }

  /** What a device does in small portions looks harmless from one backup to the next. */
  async #compareSlow(newer: Snapshot, signal: AbortSignal): Promise<Finding | null> {
    const earlier = this.#earlier(newer, backupsBack, this.#decidedUpTo(newer))
    const oldest = earlier.at(-1)
    return oldest && earlier.length > 1 ? this.#compare(oldest, newer, 0, signal) : null
  }

  async #compare(older: Snapshot, newer: Snapshot, grown: number, signal: AbortSignal): Promise<Finding | null> {
    const { index, listings } = this.#services
    const repositoryId = newer.repository_id
    if (!(await index.isIndexed(repositoryId, older.snapshot_id))) return null
    const asked = { older: older.snapshot_id, newer: newer.snapshot_id, pairs: pairsLookedInto, enoughDocuments }
    let measure = await index.measure(repositoryId, { ...asked, alike: false })
    if (isUnexplained(measure, grown)) {
      // The device may not have told what it changed, or its clock and sizes hide it.
      await listings.readAnew(newer.id, signal)
      measure = await index.measure(repositoryId, { ...asked, alike: true })
      return this.#judge(older, newer, measure, signal)
    }
    return isWorthALook(measure) ? this.#judge(older, newer, measure, signal) : null
  }

  async #judge(older: Snapshot, newer: Snapshot, measure: ChangeMeasure, signal: AbortSignal): Promise<Finding | null> {
    const changed = measure.pairs.filter(({ how }) => how !== 'alike')
    const alike = measure.pairs.filter(({ how }) => how === 'alike')
    const looked = await this.#look(older, newer, changed, signal)
    const sign = verdictOf(measure, looked)
    if (sign || alike.length === 0) return sign && { older, measure, looked, sign }
    const hidden = await this.#look(older, newer, alike, signal)
    return hidden && areSpoiled(hidden, measure.filesBefore)
      ? { older, measure, looked: hidden, sign: 'content' }
      : null
  }

  /** Null where the appliance cannot read the storage. */
  async #look(older: Snapshot, newer: Snapshot, pairs: readonly FilePair[], signal: AbortSignal) {
    try {
      const repository = await this.#services.restic.openToRead(newer.repository_id)
      const snapshots = { older: older.snapshot_id, newer: newer.snapshot_id }
      return await lookInto(pairs, headsIn(repository, snapshots, signal))
    } catch (error) {
      // Maintenance has it at the moment: tried again later.
      if (!(error instanceof AppError) || error.code === 'backup_repository_busy') throw error
      return null
    }
  }

  #save(newer: Snapshot, stored: number | null, finding: Finding | null): void {
    const { db, clock, audit, attention } = this.#services
    db.transaction(() => {
      const { id, org_id, device_id, config_id, backup_mode, timestamp } = newer
      const now = this.#snapshot(id)
      // Its organization may have been merged into another one.
      if (!now || now.org_id !== org_id || this.#isOpen(newer)) return
      this.#remember(newer, stored)
      if (!finding) return
      const { filesBefore, changed, added, removed, replaced, renamed, newEnding } = finding.measure
      const counts = { filesBefore, changed, added, removed, replaced, renamed, newEnding }
      const numbers = { ...counts, looked: finding.looked?.files ? finding.looked : null }
      const foundAt = isoNow(clock)
      const changeId = randomUUIDv7()
      db.run(
        q.insertInto('backup_unusual_changes').values({
          ...{ id: changeId, org_id, device_id, config_id, backup_mode },
          ...{ snapshot_id: id, older_id: this.#snapshot(finding.older.id)?.id ?? null, taken_at: timestamp },
          ...{ sign: finding.sign, numbers: toJson(numbers), state: 'open', found_at: foundAt },
        }),
      )
      attention.open({ id: device_id, orgId: org_id }, 'unusual_change', {
        ...(newer.job_id && { jobId: newer.job_id }),
      })
      const device = db.one(q.selectFrom('devices').select(['hostname', 'display_name']).where('id', '=', device_id))
      audit(actor, {
        action: 'backup.unusual_change.find',
        resourceType: 'device',
        resourceId: device_id,
        resourceName: device.display_name ?? device.hostname,
        orgId: org_id,
        details: { unusualChangeId: changeId, snapshotId: id, sign: finding.sign },
      })
    })
  }

  /** One whose files can be known, and that is still kept. */
  #snapshot(id: string): Snapshot | undefined {
    const all = q.selectFrom('backup_snapshots').selectAll().where('id', '=', id)
    const row = this.#services.db.first(all.where('expired_at', 'is', null))
    return row && isKnown(row) ? row : undefined
  }

  /** The newest before it of the same kind in the same repository, up to so many, none before `from`. */
  #earlier(newer: Snapshot, most: number, from = ''): Snapshot[] {
    const rows = this.#services.db.all(
      q
        .selectFrom('backup_snapshots')
        .selectAll()
        .where('device_id', '=', newer.device_id)
        .where('repository_id', '=', newer.repository_id)
        .where('backup_mode', '=', newer.backup_mode)
        .where('expired_at', 'is', null)
        .where('timestamp', '<', newer.timestamp)
        .where('timestamp', '>=', from)
        .orderBy('timestamp', 'desc')
        .orderBy('id', 'desc')
        .limit(most),
    )
    return rows.filter(isKnown)
  }

  #changesOf({ device_id, config_id, backup_mode }: Snapshot) {
    return q
      .selectFrom('backup_unusual_changes')
      .where('device_id', '=', device_id)
      .where('config_id', '=', config_id)
      .where('backup_mode', '=', backup_mode)
  }

  #isOpen(snapshot: Snapshot): boolean {
    const open = this.#changesOf(snapshot).select('id').where('state', '=', 'open')
    return this.#services.db.first(open) !== undefined
  }

  /** What somebody has looked at is not compared across again. */
  #decidedUpTo(snapshot: Snapshot): string {
    const decided = this.#changesOf(snapshot).select('taken_at').orderBy('taken_at', 'desc').limit(1)
    return this.#services.db.first(decided)?.taken_at ?? ''
  }

  /** As the appliance itself counts them; null in any other storage. */
  #storedBytes(repositoryId: string): number | null {
    const { db } = this.#services
    const row = db.first(
      q.selectFrom('backup_repositories').select(['stored_bytes', 'is_in_store']).where('id', '=', repositoryId),
    )
    return row?.is_in_store === 1 ? row.stored_bytes : null
  }

  #rememberedBytes(repositoryId: string): number | null {
    const all = q.selectFrom('backup_change_checks').select('stored_bytes').where('repository_id', '=', repositoryId)
    return this.#services.db.first(all)?.stored_bytes ?? null
  }

  #remember({ repository_id, org_id, device_id }: Snapshot, storedBytes: number | null): void {
    if (storedBytes === null) return
    const values = { id: randomUUIDv7(), repository_id, org_id, device_id, stored_bytes: storedBytes }
    this.#services.db.run(
      q
        .insertInto('backup_change_checks')
        .values(values)
        .onConflict((conflict) => conflict.column('repository_id').doUpdateSet({ stored_bytes: storedBytes })),
    )
  }
}

/** Databases and virtual machines are one file each, or none that we know. */
const isKnown = (row: Selectable<Tables['backup_snapshots']>): row is Snapshot =>
  row.repository_id !== null && (row.backup_mode === 'file' || row.backup_mode === 'system_image')
