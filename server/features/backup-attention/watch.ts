import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces, inSteps } from '../../lib/pieces.ts'
import { type Clock, day, iso, isoNow } from '../../platform/clock.ts'
import type { BackupPolicies, DeviceBackup } from '../backup-policies/index.ts'
import type { Attention, AttentionRow } from './attention.ts'
import { type DeviceRuns, devicesPerRead, runsOf } from './device-runs.ts'
import { isFoundElsewhere, type Look, looksAt, problemsOf, scheduleKey } from './judge.ts'

interface WatchServices {
  db: Database
  clock: Clock
  backupPolicies: BackupPolicies
  attention: Attention
}

/** What is over is kept for so long. */
const keptMs = 90 * day

/** Finds out what is wrong with the backups of devices, and what no longer is. */
export class BackupWatch {
  readonly #services: WatchServices

  constructor(services: WatchServices) {
    this.#services = services
  }

  /** A backup of it has ended. Joins the transaction under way. */
  lookAt(deviceId: string): void {
    const { db, clock, backupPolicies, attention } = this.#services
    const backup = backupPolicies.ofDevice(deviceId)
    const runs = backup && runsOf(db, [backup]).get(deviceId)
    if (!runs) return
    this.#settle(backup.device, looksAt(clock.now())(backup, runs), attention.openOf(deviceId))
  }

  /** Looks at every device that a policy names, and at what was wrong with others. */
  async run(signal: AbortSignal): Promise<void> {
    const { backupPolicies } = this.#services
    const orgIds = await inSteps(signal, backupPolicies.organizationIds())
    for (const orgId of orgIds) await this.#organization(orgId, signal)
    // Where nothing is backed up now, nothing is missed.
    for (const orgId of this.#otherOrganizations(orgIds)) await this.#leaveUnseen(orgId, new Set(), signal)
    await inPieces(signal, (maxRows) => this.#forgetOld(maxRows))
  }

  /** Where a policy was in force, or something was wrong, and no policy is in force any more. */
  #otherOrganizations(orgIds: readonly string[]): string[] {
    return this.#services.db
      .statement<string>(
        `SELECT org_id FROM (
           SELECT org_id FROM backup_watches UNION SELECT org_id FROM backup_attention WHERE resolved_at IS NULL)
         WHERE org_id NOT IN (SELECT value FROM json_each(?))`,
      )
      .pluck()
      .all(JSON.stringify(orgIds))
  }

  #forgetOld(maxRows: number): number {
    const { db, clock } = this.#services
    const old = q
      .selectFrom('backup_attention')
      .select('id')
      .where('resolved_at', '<', iso(clock.now() - keptMs))
    return db.run(q.deleteFrom('backup_attention').where('id', 'in', old.limit(maxRows)))
  }

  async #organization(orgId: string, signal: AbortSignal): Promise<void> {
    const { db, clock, backupPolicies } = this.#services
    const backups: DeviceBackup[] = []
    const found = (backup: DeviceBackup) => {
      if (backup.source && backup.device.status !== 'quarantined') backups.push(backup)
    }
    await inSteps(signal, backupPolicies.inOrganization(orgId, found))
    const seen = new Set(backups.map(({ device }) => device.id))
    const look = looksAt(clock.now())
    await inPieces(signal, (maxRows) => {
      const some = backups.splice(0, Math.min(maxRows, devicesPerRead))
      db.transaction(() => this.#several(some, look))
      return some.length
    })
    await this.#leaveUnseen(orgId, seen, signal)
  }

  async #leaveUnseen(orgId: string, seen: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { db } = this.#services
    const left = this.#unseen(orgId, seen)
    await inPieces(signal, (maxRows) => {
      const some = left.splice(0, maxRows)
      db.transaction(() => {
        for (const deviceId of some) this.#leave(deviceId)
      })
      return some.length
    })
  }

  #several(backups: readonly DeviceBackup[], look: (backup: DeviceBackup, runs: DeviceRuns) => Look): void {
    const { db } = this.#services
    const open = this.#openOf(backups.map(({ device }) => device.id))
    const runs = runsOf(db, backups)
    for (const backup of backups) {
      const { id } = backup.device
      const found = runs.get(id)
      if (found) this.#settle(backup.device, look(backup, this.#watched(backup, found)), open.get(id) ?? [])
    }
  }

  /** A schedule counts from the first look that finds it. */
  #watched(backup: DeviceBackup, runs: DeviceRuns): DeviceRuns {
    const { db, clock } = this.#services
    const { id, orgId } = backup.device
    const schedule = scheduleKey(backup)
    if (schedule === (runs.watch?.schedule ?? null)) return runs
    db.run(q.deleteFrom('backup_watches').where('device_id', '=', id))
    if (schedule === null) return { ...runs, watch: null }
    const watch = { schedule, since: isoNow(clock) }
    db.run(q.insertInto('backup_watches').values({ id: randomUUIDv7(), device_id: id, org_id: orgId, ...watch }))
    return { ...runs, watch }
  }

  #settle(device: DeviceBackup['device'], look: Look, open: readonly AttentionRow[]): void {
    const { attention } = this.#services
    const problems = problemsOf(look)
    for (const row of open) {
      // Found and decided elsewhere.
      if (isFoundElsewhere(row.kind)) continue
      const isOver = row.kind === 'skipped_overlap' ? !look.runs.isBusy : !problems.has(row.kind)
      if (isOver) attention.resolve(row)
    }
    for (const [kind, details] of problems) attention.open(device, kind, details)
  }

  #openOf(deviceIds: readonly string[]): Map<string, AttentionRow[]> {
    const rows = this.#services.db
      .statement<AttentionRow>(
        `SELECT * FROM backup_attention INDEXED BY backup_attention_open
         WHERE device_id IN (SELECT value FROM json_each(?)) AND resolved_at IS NULL`,
      )
      .all(JSON.stringify(deviceIds))
    return Map.groupBy(rows, ({ device_id }) => device_id)
  }

  /** Devices of which something is kept though no policy is for them any more. */
  #unseen(orgId: string, seen: ReadonlySet<string>): string[] {
    const { db } = this.#services
    const watched = db.all(q.selectFrom('backup_watches').select('device_id').where('org_id', '=', orgId))
    const open = q.selectFrom('backup_attention').select('device_id').where('org_id', '=', orgId)
    const wrong = db.all(open.where('resolved_at', 'is', null))
    return [...new Set([...watched, ...wrong].map(({ device_id }) => device_id))].filter((id) => !seen.has(id))
  }

  #leave(deviceId: string): void {
    this.#services.db.run(q.deleteFrom('backup_watches').where('device_id', '=', deviceId))
    this.lookAt(deviceId)
  }
}
