import { sql } from 'kysely'
import type { BackupJob, cancelBackupJob, listBackupJobs, readBackupJob } from '../../../shared/api/backup-jobs.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { fromJson } from '../../lib/json.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { day, iso } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { backupOrganization, type RepositoryRow } from '../backup-storage/index.ts'
import type { Devices } from '../devices/index.ts'
import { operableOrganization } from '../organization-access/index.ts'
import type { JobDispatch } from './dispatch.ts'
import type { JobLedger } from './ledger.ts'
import { type JobRow, jobById, jobRows, openStatuses } from './store.ts'

interface JobServices {
  db: Database
  audit: Audit
  devices: Devices
  dispatch: JobDispatch
  ledger: JobLedger
}

/** Backups as people see them. */
export class BackupJobs {
  readonly #services: JobServices

  constructor(services: JobServices) {
    this.#services = services
  }

  list(actor: UserActor, wanted: QueryOf<typeof listBackupJobs>): ReplyOf<typeof listBackupJobs> {
    const { db, devices, ledger } = this.#services
    const orgId = backupOrganization(db, actor, wanted.orgId)
    const deviceId = wanted.deviceId ?? wanted.device
    if (deviceId) assertSeen(devices, actor, deviceId)
    const { page, limit } = wanted
    // A device has few of them. The plus keeps SQLite from going through all of the organization, or of the status, instead.
    const indexed = (column: 'org_id' | 'status') =>
      deviceId ? sql<string>`+${sql.ref(column)}` : sql.ref<string>(column)
    let found = q
      .selectFrom('backup_jobs')
      .where(indexed('org_id'), '=', orgId)
      .where(withinReach(actor, 'backup_jobs'))
    if (wanted.status) found = found.where(indexed('status'), '=', wanted.status)
    if (deviceId) found = found.where('device_id', '=', deviceId)
    if (wanted.from) found = found.where('created_at', '>=', wanted.from)
    if (wanted.to) found = found.where('created_at', '<=', wanted.to)
    if (wanted.date) {
      const start = Date.parse(wanted.date)
      found = found.where('created_at', '>=', iso(start)).where('created_at', '<', iso(start + day))
    }
    const total = db.one(found.select((select) => select.fn.countAll<number>().as('total'))).total
    const ids = db.all(
      found
        .select('id')
        .orderBy('created_at', 'desc')
        .orderBy((order) => order('started_at', 'is', null))
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset((page - 1) * limit),
    )
    const rows = db.all(
      jobRows().where(
        'backup_jobs.id',
        'in',
        ids.map(({ id }) => id),
      ),
    )
    const byId = new Map(rows.map((row) => [row.id, row]))
    const data = ids.flatMap(({ id }) => {
      const row = byId.get(id)
      return row ? [ledger.view(row)] : []
    })
    return { data, pagination: { page, limit, total } }
  }

  read(actor: UserActor, id: string, named: string | undefined): ReplyOf<typeof readBackupJob> {
    const row = this.#find(actor, id, named)
    const unreadFiles = row.failed_files === null ? [] : fromJson(row.failed_files)
    return { ...this.#services.ledger.view(row), unreadFiles }
  }

  /** One that waits is never sent; one that runs is told to stop. */
  cancel(actor: UserActor, id: string, named: string | undefined): ReplyOf<typeof cancelBackupJob> {
    const { db, ledger, devices, audit } = this.#services
    const before = db.transaction(() => {
      const row = this.#findToCancel(actor, id, named)
      const device = devices.find(actor, row.device_id)
      if (row.status !== 'pending' && row.status !== 'running') throw new AppError('backup_job_finished')
      ledger.giveUp(row, 'cancelled', { error_log: 'Cancelled by user' })
      audit(actor, {
        action: 'backup.job.cancel',
        resourceType: 'backup_job',
        resourceId: row.id,
        resourceName: device.display_name ?? device.hostname,
        orgId: row.org_id,
        details: {
          deviceId: row.device_id,
          dispatchRemoved: row.status === 'pending',
          stopQueued: row.status === 'running',
        },
      })
      return row
    })
    const isTold = before.status === 'pending' || this.#services.dispatch.stop(before.device_id, id)
    const job = this.#view(id)
    return isTold ? job : { ...job, warning: 'The device could not be told to stop: it has no connection now.' }
  }

  /** Joins the transaction that takes the device away. */
  cancelOpen(deviceId: string, errorLog: string): void {
    const { db, ledger, dispatch } = this.#services
    const open = q.selectFrom('backup_jobs').select(['id', 'device_id', 'status']).where('device_id', '=', deviceId)
    for (const job of db.all(open.where('status', 'in', openStatuses))) {
      ledger.finish(job, 'cancelled', { error_log: errorLog })
      if (job.status === 'running') db.afterCommit(() => dispatch.stop(deviceId, job.id))
    }
  }

  isRunningIn({ config_id, device_id }: Pick<RepositoryRow, 'config_id' | 'device_id'>): boolean {
    const running = q.selectFrom('backup_jobs').select('id').where('device_id', '=', device_id)
    const there = running.where('config_id', '=', config_id).where('status', '=', 'running').limit(1)
    return this.#services.db.first(there) !== undefined
  }

  /** Whether any went, or was to go, to this storage. */
  areOf(configId: string): boolean {
    const any = q.selectFrom('backup_jobs').select('id').where('config_id', '=', configId).limit(1)
    return this.#services.db.first(any) !== undefined
  }

  #view(id: string): BackupJob {
    const { db, ledger } = this.#services
    return ledger.view(jobById(db, id) as JobRow)
  }

  /** Found without the reach, so that a frozen organization says so. */
  #findToCancel(actor: UserActor, id: string, named: string | undefined): JobRow {
    const { db } = this.#services
    const row = jobById(db, id)
    if (!row || (named !== undefined && row.org_id !== named)) throw new AppError('backup_job_not_found')
    operableOrganization(db, actor, row.org_id, 'backup_job_not_found')
    return row
  }

  #find(actor: UserActor, id: string, named: string | undefined): JobRow {
    const { db, devices } = this.#services
    let found = jobRows()
      .where('backup_jobs.id', '=', id)
      .where(withinReach({ ...actor, sites: null }, 'backup_jobs'))
    if (named) found = found.where('backup_jobs.org_id', '=', named)
    const row = db.first(found)
    if (!row) throw new AppError('backup_job_not_found')
    // Another site’s is forbidden, as the device itself.
    if (actor.sites !== null) devices.find(actor, row.device_id)
    return row
  }
}

/** @throws AppError `backup_device_denied` whatever the reason */
function assertSeen(devices: Devices, actor: UserActor, deviceId: string): void {
  try {
    devices.find(actor, deviceId)
  } catch (error) {
    throw error instanceof AppError ? new AppError('backup_device_denied', {}, { cause: error }) : error
  }
}
