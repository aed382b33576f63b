import type { z } from 'zod'
import type { BackupSelection } from '../../../shared/backup-plan.ts'
import type { backupRunPayload } from '../../../shared/device/backup.ts'
import { wholeSystem } from '../../../shared/device/backup-places.ts'
import type { CommandDirective } from '../../../shared/device/heartbeat.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson } from '../../lib/json.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Tasks } from '../../platform/tasks/index.ts'
import { engineOf, publicPaths, type ResticEngines } from '../backup-engine/index.ts'
import type { RepositoryLocks } from '../backup-storage/index.ts'
import { type Connections, DevicePushes } from '../device-connections/index.ts'
import { mayWork } from '../devices/index.ts'
import type { JobLedger } from './ledger.ts'
import { type JobRow, jobById } from './store.ts'

interface DispatchServices {
  db: Database
  clock: Clock
  tasks: Tasks
  connections: Connections
  engines: ResticEngines
  locks: RepositoryLocks
  ledger: JobLedger
}

/** Hands backups to devices over their socket, one of a repository at a time. Without a socket, and during maintenance, they wait. */
export class JobDispatch {
  readonly #services: DispatchServices
  readonly pushes: DevicePushes

  constructor(services: DispatchServices) {
    this.#services = services
    this.pushes = new DevicePushes(services, {
      name: 'backup.push',
      description: 'Hands waiting backups to a connected device',
      waiting: { table: 'backup_jobs', where: `status = 'pending'` },
      begin: (deviceId, id) => this.#begin(deviceId, id),
      takeBack: (id) => this.#takeBack(id),
    })
  }

  /** Whether maintenance has the repository for itself, and the backup has to wait. */
  isHeld({ device_id: deviceId, config_id: configId }: Pick<JobRow, 'device_id' | 'config_id'>): boolean {
    return configId !== null && this.#services.locks.isHeld({ configId, deviceId })
  }

  /** Tells the device to end a backup; false when it cannot be told. Never queued: a later backup must not be met. */
  stop(deviceId: string, jobId: string): boolean {
    const directive = { id: `backup-stop-${jobId}`, type: 'backup_stop', payload: { reason: 'cancelled', jobId } }
    return this.#services.connections.send(deviceId, directive)
  }

  #begin(deviceId: string, jobId: string): CommandDirective | null {
    const { db, clock, ledger } = this.#services
    const job = jobById(db, jobId)
    if (job?.status !== 'pending' || !mayWork(db, deviceId) || this.#isRepositoryBusy(job)) return null
    const payload = this.#payloadOf(job)
    if (typeof payload === 'string') {
      ledger.finish(job, 'failed', { error_log: payload })
      return null
    }
    const now = isoNow(clock)
    ledger.change(job.id, { status: 'running', dispatched_at: now, started_at: now })
    ledger.progress.lastHeard.note(job.id)
    return { id: job.id, type: 'backup_run', payload }
  }

  #takeBack(jobId: string): void {
    const { db, ledger, engines } = this.#services
    if (jobById(db, jobId)?.status !== 'running') return
    engines.close(jobId)
    ledger.change(jobId, { status: 'pending', dispatched_at: null, started_at: null })
  }

  #isRepositoryBusy({ device_id, config_id }: JobRow): boolean {
    const { db } = this.#services
    if (this.isHeld({ device_id, config_id })) return true
    const running = q.selectFrom('backup_jobs').select('id').where('device_id', '=', device_id)
    return db.first(running.where('config_id', 'is', config_id).where('status', '=', 'running')) !== undefined
  }

  /** Or why there is nothing to send. */
  #payloadOf(job: JobRow): CommandDirective['payload'] | string {
    const selection = fromJson(job.selection)
    if (selection.mode !== 'file' && selection.mode !== 'system_image')
      return `No backup targets resolved (mode=${selection.mode}). Ensure discovery has been run for this device.`
    if (job.config_id === null) return storageGone
    switch (engineOf(job.backup_version)) {
      case 'none':
        return 'Backup engine not available on this device'
      case 'public':
        return this.#publicPayload(job, job.config_id, selection)
      case 'restic':
        return this.#resticPayload(job, job.config_id, selection)
    }
  }

  #resticPayload(job: JobRow, configId: string, selection: FileSelection): z.input<typeof backupRunPayload> | string {
    const opened = this.#services.engines.open({
      orgId: job.org_id,
      configId,
      deviceId: job.device_id,
      commandId: job.id,
      mode: 'append',
      limitUploadKib: job.limit_upload_kib,
    })
    if (!opened) return storageGone
    const base = { jobId: job.id, configId, engine: opened.engine }
    if (selection.mode === 'system_image') return { ...base, paths: [wholeSystem] }
    const { paths, excludes } = selection.targets
    return { ...base, paths, ...(excludes && { excludes }) }
  }

  #publicPayload(job: JobRow, configId: string, selection: FileSelection): CommandDirective['payload'] | string {
    const storage = this.#services.engines.openPublic(configId)
    if (!storage) return 'The agent of this device can back up to S3 or to a folder of its own only'
    const base = { jobId: job.id, configId, ...storage }
    if (selection.mode === 'system_image') return { ...base, systemImage: true }
    const { paths, excludes } = selection.targets
    return { ...base, paths: publicPaths(paths, job.os_type), ...(excludes && { excludes }) }
  }
}

type FileSelection = Extract<BackupSelection, { mode: 'file' | 'system_image' }>

const storageGone = 'The storage of this backup is turned off or gone'
