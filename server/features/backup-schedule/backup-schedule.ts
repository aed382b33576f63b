import type { BackupMode } from '../../../shared/backup-plan.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces, inSteps } from '../../lib/pieces.ts'
import { type Clock, hour, iso, minute } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Attention } from '../backup-attention/index.ts'
import { type BackupPlan, type BackupRuns, planIn } from '../backup-jobs/index.ts'
import { type BackupPolicies, type DeviceBackup, type Occurrence, occurrencesAround } from '../backup-policies/index.ts'

interface ScheduleServices {
  db: Database
  clock: Clock
  log: Log
  backupPolicies: BackupPolicies
  runs: BackupRuns
  attention: Attention
  /** How far back a run counts that was missed while the appliance was off; 0 for not at all. */
  catchUpHours: number
}

interface DueBackup {
  device: DeviceBackup['device']
  source: DeviceBackup['source']
  plan: BackupPlan
  occurrence: Occurrence
}

/** An occurrence that is older than this is not made up for, but once at the start. */
const graceMs = 5 * minute

/**
 * Starts backups when their policies say so. Each occurrence makes one job for each selection, whatever is restarted in
 * between: the local minute of the schedule is a part of the job, and unique.
 */
export class BackupSchedule {
  readonly #services: ScheduleServices
  #hasStarted = false

  constructor(services: ScheduleServices) {
    this.#services = services
  }

  /** Answers how many jobs it made. */
  async run(signal: AbortSignal): Promise<number> {
    const { catchUpHours } = this.#services
    const backMs = this.#hasStarted ? graceMs : Math.max(graceMs, catchUpHours * hour)
    const due = await this.#due(backMs, signal)
    let made = 0
    await inPieces(signal, (maxRows) => {
      const some = due.splice(0, maxRows)
      this.#services.db.transaction(() => {
        for (const one of some) made += this.#start(one)
      })
      return some.length
    })
    // Only when all of it is done: an appliance that is stopped meanwhile goes on with it at the next start.
    this.#hasStarted = true
    return made
  }

  async #due(backMs: number, signal: AbortSignal): Promise<DueBackup[]> {
    const { clock, backupPolicies, log } = this.#services
    const now = clock.now()
    const around = occurrencesAround(now)
    const due: DueBackup[] = []
    const found = (backup: DeviceBackup) => {
      const { device, source, plan, timeZone } = backup
      if (!plan?.schedule || device.status === 'quarantined') return
      const { latest } = around(plan.schedule, timeZone)
      const wanted = planIn(backup)
      if (latest && wanted && now - latest.at < backMs) due.push({ device, source, plan: wanted, occurrence: latest })
    }
    for (const orgId of await inSteps(signal, backupPolicies.organizationIds()))
      await inSteps(signal, backupPolicies.inOrganization(orgId, found))
    if (due.length > 0) log.debug({ devices: due.length }, 'Backups are due')
    return due
  }

  /** Joins the transaction under way. Answers how many jobs it made. */
  #start({ device, source, plan, occurrence }: DueBackup): number {
    const { runs, attention, log } = this.#services
    const { configId, selections } = plan
    if (selections === null || selections.length === 0 || configId === null) {
      const reason = configId === null ? 'no_config' : 'broken_profile'
      log.warn({ deviceId: device.id, reason }, 'A scheduled backup cannot be made')
      attention.open(device, reason, source ? { policyId: source.policyId, policyName: source.policyName } : {})
      return 0
    }
    const wanted = selections.filter(({ mode }) => this.#isWanted(device, configId, mode, occurrence))
    for (const selection of wanted)
      runs.create({
        device: { id: device.id, org_id: device.orgId },
        type: 'scheduled',
        plan: { ...plan, configId },
        selection,
        createdBy: null,
        occurrenceKey: occurrence.key,
      })
    return wanted.length
  }

  /** Not a second one for the same occurrence, nor beside one that still waits or runs: they would double the load. */
  #isWanted(device: DueBackup['device'], configId: string, mode: BackupMode, { key, at }: Occurrence): boolean {
    const { db, clock, attention, log } = this.#services
    const deviceId = device.id
    const ofMode = q
      .selectFrom('backup_jobs')
      .select('id')
      .where('device_id', '=', deviceId)
      .where('backup_mode', '=', mode)
    const same = ofMode.where('config_id', '=', configId)
    if (db.first(same.where('schedule_occurrence_key', '=', key))) return false
    const recent = same.where('schedule_occurrence_key', 'is not', null)
    if (db.first(recent.where('created_at', '>', iso(clock.now() - graceMs)))) return false
    const before = db.first(ofMode.where('status', 'in', ['pending', 'running']))
    if (!before) return true
    log.warn({ deviceId, mode }, 'A scheduled backup is left out because the one before has not ended')
    attention.open(device, 'skipped_overlap', { jobId: before.id, dueAt: [iso(at)] })
    return false
  }
}
