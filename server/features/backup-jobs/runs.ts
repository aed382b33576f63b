import { randomUUIDv7 } from 'node:crypto'
import type { BackupJob, previewRunAll, runAllBackups, runBackup } from '../../../shared/api/backup-jobs.ts'
import type { BackupMode, BackupSelection } from '../../../shared/backup-plan.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { toJson } from '../../lib/json.ts'
import { inPieces, untilDone } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { engineOf } from '../backup-engine/index.ts'
import { type BackupConfigs, backupOrganization } from '../backup-storage/index.ts'
import type { Device, Devices } from '../devices/index.ts'
import { operableOrganization } from '../organization-access/index.ts'
import type { JobDispatch } from './dispatch.ts'
import type { JobLedger } from './ledger.ts'
import { type BackupPlan, type BackupPlans, withoutPolicy } from './plan.ts'
import { type JobRow, jobById, openStatuses } from './store.ts'

interface RunServices {
  db: Database
  clock: Clock
  audit: Audit
  devices: Devices
  configs: BackupConfigs
  plans: BackupPlans
  dispatch: JobDispatch
  ledger: JobLedger
}

/** What a new job is made of. */
export interface NewJob {
  device: Pick<Device, 'id' | 'org_id'>
  type: BackupJob['type']
  plan: Pick<BackupPlan, 'policyId' | 'featureLinkId' | 'limitUploadKib'> & { configId: string }
  selection: BackupSelection
  createdBy: string | null
  occurrenceKey?: string
}

interface RunnablePlan extends Omit<BackupPlan, 'configId' | 'selections'> {
  configId: string
  selections: readonly BackupSelection[]
}

type Left = 'offline' | 'running' | 'broken_profile' | 'no_config' | 'no_engine'

/** Backups that somebody starts. */
export class BackupRuns {
  readonly #services: RunServices

  constructor(services: RunServices) {
    this.#services = services
  }

  run(actor: UserActor, deviceId: string): ReplyOf<typeof runBackup> {
    const { db, devices, plans, audit } = this.#services
    return db.transaction(() => {
      const device = devices.findOperable(actor, deviceId)
      if (device.status === 'decommissioned') throw new AppError('device_decommissioned_no_commands')
      if (device.status === 'quarantined') throw new AppError('device_quarantined')
      const plan = this.#runnable(device, plans.of(device.id))
      if (isOffline(device)) throw new AppError('backup_device_offline')
      if (engineOf(device.backup_version) === 'none') throw new AppError('backup_engine_missing')
      const busy = this.#busyModes(device.id)
      const selections = plan.selections.filter(({ mode }) => !busy.has(mode))
      if (selections.length === 0) throw new AppError('backup_already_running')
      const jobs = selections.map((selection) =>
        this.create({ device, type: 'manual', plan, selection, createdBy: actor.userId }),
      )
      audit(actor, {
        action: 'backup.job.run',
        resourceType: 'device',
        resourceId: device.id,
        resourceName: device.display_name ?? device.hostname,
        orgId: device.org_id,
        details: {
          jobIds: jobs.map(({ id }) => id),
          configId: plan.configId,
          modes: selections.map(({ mode }) => mode),
        },
      })
      const [first] = jobs
      if (!first) throw new Error('a run without a job')
      return { ...first, jobs, jobCount: jobs.length }
    })
  }

  /** Joins the transaction under way. */
  create({ device, type, plan, selection, createdBy, occurrenceKey }: NewJob): BackupJob {
    const { db, clock, ledger, dispatch } = this.#services
    const id = randomUUIDv7()
    const now = isoNow(clock)
    db.run(
      q.insertInto('backup_jobs').values({
        id,
        org_id: device.org_id,
        device_id: device.id,
        config_id: plan.configId,
        policy_id: plan.policyId,
        feature_link_id: plan.featureLinkId,
        type,
        backup_mode: selection.mode,
        selection: toJson(selection),
        limit_upload_kib: plan.limitUploadKib,
        schedule_occurrence_key: occurrenceKey ?? null,
        created_by: createdBy,
        created_at: now,
        updated_at: now,
      }),
    )
    dispatch.pushes.soon(device.id)
    ledger.announce(id)
    return ledger.view(jobById(db, id) as JobRow)
  }

  async preview(actor: UserActor, named: string | undefined): Promise<ReplyOf<typeof previewRunAll>> {
    const orgId = backupOrganization(this.#services.db, actor, named)
    const ready: string[] = []
    const left = { offline: 0, running: 0, broken_profile: 0, no_config: 0, no_engine: 0 }
    await this.#eachProtected(actor, orgId, (device, plan) => {
      const found = this.#look(device, plan)
      if (typeof found === 'string') left[found]++
      else ready.push(device.id)
    })
    return {
      data: { deviceCount: ready.length, deviceIds: ready, alreadyRunning: left.running, offline: left.offline },
    }
  }

  async runAll(actor: UserActor, named: string | undefined): Promise<ReplyOf<typeof runAllBackups>> {
    const { db, audit } = this.#services
    const orgId = backupOrganization(db, actor, named)
    const org = operableOrganization(db, actor, orgId, 'backup_org_required')
    const jobIds: string[] = []
    const left = { offline: 0, running: 0, broken_profile: 0, no_config: 0, no_engine: 0 }
    const unusable: { deviceId: string; reason: 'broken_profile' | 'no_config' }[] = []
    const withoutEngine: { deviceId: string; modes: BackupMode[] }[] = []
    let isRecorded = false
    const protectedDevices = await this.#eachProtected(actor, orgId, (device, plan) => {
      // With the first of them: what is done and that it was asked for are saved together.
      if (!isRecorded)
        audit(actor, {
          action: 'backup.job.run_all',
          resourceType: 'organization',
          resourceId: org.id,
          resourceName: org.name,
          orgId: org.id,
          details: {},
        })
      isRecorded = true
      const found = this.#look(device, plan)
      if (typeof found === 'string') {
        left[found]++
        if (found === 'no_engine')
          withoutEngine.push({ deviceId: device.id, modes: plan.selections?.map(({ mode }) => mode) ?? [] })
        if (found === 'broken_profile' || found === 'no_config') unusable.push({ deviceId: device.id, reason: found })
        return
      }
      for (const selection of found.selections)
        jobIds.push(this.create({ device, type: 'manual', plan: found, selection, createdBy: actor.userId }).id)
    })
    if (protectedDevices === 0) throw new AppError('backup_no_policies')
    return {
      data: {
        created: jobIds.length,
        skipped: left.offline + left.running + unusable.length,
        skippedOffline: left.offline,
        skippedRunning: left.running,
        skippedBrokenProfile: unusable.length,
        failed: 0,
        failedToCreate: withoutEngine.length,
        jobIds,
        failedJobIds: [],
        failedToCreateDevices: withoutEngine,
        skippedBrokenProfileDevices: unusable,
      },
    }
  }

  /** What of the plan can begin now, or why nothing can. */
  #look(device: Device, plan: BackupPlan): RunnablePlan | Left {
    if (plan.selections === null || plan.selections.length === 0) return 'broken_profile'
    if (plan.configId === null) return 'no_config'
    if (isOffline(device)) return 'offline'
    if (engineOf(device.backup_version) === 'none') return 'no_engine'
    const busy = this.#busyModes(device.id)
    const selections = plan.selections.filter(({ mode }) => !busy.has(mode))
    return selections.length === 0 ? 'running' : { ...plan, configId: plan.configId, selections }
  }

  #runnable(device: Device, plan: BackupPlan | null): RunnablePlan {
    if (plan === null) {
      const configId = this.#services.configs.usableOf(device.org_id)
      if (configId === null) throw new AppError('backup_no_config')
      return { policyId: null, featureLinkId: null, limitUploadKib: null, configId, selections: [withoutPolicy] }
    }
    if (plan.selections === null || plan.selections.length === 0) throw new AppError('backup_profile_broken')
    if (plan.configId === null) throw new AppError('backup_policy_without_config')
    return { ...plan, configId: plan.configId, selections: plan.selections }
  }

  #busyModes(deviceId: string): ReadonlySet<BackupMode> {
    const open = q.selectFrom('backup_jobs').select('backup_mode').where('device_id', '=', deviceId)
    const rows = this.#services.db.all(open.where('status', 'in', openStatuses))
    return new Set(rows.map(({ backup_mode }) => backup_mode))
  }

  /** Of the organization’s devices that a policy protects and the actor sees, some in each transaction. Answers how many. */
  async #eachProtected(
    actor: UserActor,
    orgId: string,
    act: (device: Device, plan: BackupPlan) => void,
  ): Promise<number> {
    const { db, plans } = this.#services
    const planOf = await plans.ofOrganization(orgId)
    const ids = [...planOf.keys()]
    let count = 0
    await inPieces(untilDone, (maxRows) => {
      const some = ids.splice(0, maxRows)
      if (some.length === 0) return 0
      db.transaction(() => {
        const devices = db.all(
          q
            .selectFrom('devices')
            .selectAll()
            .where('id', 'in', some)
            .where('org_id', '=', orgId)
            .where('status', 'not in', ['decommissioned', 'quarantined'])
            .where(withinReach(actor, 'devices')),
        )
        for (const device of devices) {
          const plan = planOf.get(device.id)
          if (plan) act(device, plan)
          count++
        }
      })
      return some.length
    })
    return count
  }
}

const isOffline = ({ status }: Device): boolean => status === 'offline' || status === 'pending'
