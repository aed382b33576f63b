import type { z } from 'zod'
import {
  mostListed,
  type testRestorePayload,
  type VerificationOutcome,
  verificationOutcome,
  type verifyPayload,
} from '../../../shared/device/backup-verification.ts'
import type { ReportedResult } from '../../../shared/device/commands.ts'
import type { CommandDirective } from '../../../shared/device/heartbeat.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { DeviceActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow, minute, second } from '../../platform/clock.ts'
import type { Tasks } from '../../platform/tasks/index.ts'
import type { ResticEngines } from '../backup-engine/index.ts'
import { objectIn } from '../backup-jobs/index.ts'
import { listedIn, type SnapshotRow } from '../backup-snapshots/index.ts'
import type { RepositoryLocks } from '../backup-storage/index.ts'
import { type Connections, DevicePushes } from '../device-connections/index.ts'
import { mayWork } from '../devices/index.ts'
import type { SnapshotChecksums } from './checksums.ts'
import { failedBecause, type VerificationLedger } from './ledger.ts'
import { isOpen, nameOf, type VerificationRow, verificationById } from './store.ts'
import { withoutExpired } from './without-expired.ts'

interface DeviceCheckServices {
  db: Database
  clock: Clock
  audit: Audit
  tasks: Tasks
  connections: Connections
  engines: ResticEngines
  locks: RepositoryLocks
  checksums: SnapshotChecksums
  ledger: VerificationLedger
}

/** A larger snapshot is not restored as a whole, but a part of it. */
const wholeUpToBytes = 10 * 1024 ** 3
/** A device says at least once a minute that it is still at it. */
const patienceMs = 30 * minute
const savedEveryMs = 10 * second

const commandOf = { integrity: 'backup_verify', test_restore: 'backup_test_restore' } as const

/** Checks that devices make, over their socket. One of a repository that is being maintained waits until that is over. */
export class DeviceChecks {
  readonly #services: DeviceCheckServices
  readonly pushes: DevicePushes

  constructor(services: DeviceCheckServices) {
    this.#services = services
    this.pushes = new DevicePushes(services, {
      name: 'backup.push-verification',
      description: 'Hands waiting checks of backups to a connected device',
      waiting: { table: 'backup_verifications', where: `status = 'pending' AND ran_on = 'device'` },
      begin: (deviceId, id) => this.#begin(deviceId, id),
      takeBack: (id) => this.#takeBack(id),
    })
  }

  isRunningIn(repositoryId: string): boolean {
    const running = q
      .selectFrom('backup_verifications')
      .select('id')
      .where('repository_id', '=', repositoryId)
      .where('ran_on', '=', 'device')
      .where('status', '=', 'running')
    return this.#services.db.first(running.limit(1)) !== undefined
  }

  /** Tells the device to end a check; it may have gone. */
  stop({ id, device_id }: Pick<VerificationRow, 'id' | 'device_id'>): void {
    const payload = { reason: 'cancelled', jobId: id }
    this.#services.connections.send(device_id, { id: `verification-stop-${id}`, type: 'backup_stop', payload })
  }

  /** Whether nothing was heard of a check for too long. One that waits for maintenance waits for nothing else. */
  isSilent(row: VerificationRow): boolean {
    const { ledger } = this.#services
    if (row.status === 'pending' && this.#isHeld(row)) ledger.lastHeard.note(row.id)
    return ledger.lastHeard.silenceOf(row.id) > patienceMs
  }

  progress(actor: DeviceActor, id: string): void {
    const { db, clock, ledger, engines } = this.#services
    const row = verificationById(db, id)
    if (row?.device_id !== actor.deviceId || row.status !== 'running' || row.ran_on !== 'device') return
    ledger.lastHeard.note(id)
    if (Math.abs(clock.now() - Date.parse(row.last_progress_at ?? row.created_at)) < savedEveryMs) return
    db.transaction(() => {
      engines.prolong(id)
      db.run(
        q
          .updateTable('backup_verifications')
          .set({ last_progress_at: isoNow(clock) })
          .where('id', '=', id),
      )
    })
  }

  /** False when the device was not asked for it. A result after the server gave up still counts. */
  take(actor: DeviceActor, id: string, reported: ReportedResult): boolean {
    const { db, ledger, audit, engines } = this.#services
    return db.transaction(() => {
      const row = verificationById(db, id)
      if (row?.device_id !== actor.deviceId || row.ran_on !== 'device') return false
      if (!(isOpen(row) || row.timed_out_by_server === 1) || row.dispatched_at === null) {
        engines.close(id)
        return true
      }
      const told = outcomeIn(reported)
      const said = row.repository_id === null ? told : withoutExpired(told, listedIn(db, row.repository_id))
      ledger.conclude(row, isEmptyPraise(said, this.#snapshotOf(row)) ? failedBecause('Nothing was compared') : said)
      audit(actor, {
        action: 'agent.command.result.submit',
        resourceType: 'device',
        resourceId: row.device_id,
        resourceName: nameOf(row),
        orgId: row.org_id,
        details: { commandId: row.id, type: commandOf[row.verification_type], status: said.status },
      })
      return true
    })
  }

  #begin(deviceId: string, id: string): CommandDirective | null {
    const { db, clock, ledger } = this.#services
    const row = verificationById(db, id)
    if (row?.status !== 'pending' || !mayWork(db, deviceId) || this.#isHeld(row)) return null
    const snapshot = this.#snapshotOf(row)
    const payload = snapshot && this.#payloadOf(row, snapshot)
    if (!payload) {
      ledger.conclude(row, failedBecause('The snapshot is gone, or its storage is turned off'))
      return null
    }
    const now = isoNow(clock)
    ledger.change(id, { status: 'running', dispatched_at: now, started_at: now })
    ledger.lastHeard.note(id)
    return { id, type: commandOf[row.verification_type], payload }
  }

  #takeBack(id: string): void {
    const { db, ledger, engines } = this.#services
    if (verificationById(db, id)?.status !== 'running') return
    engines.close(id)
    ledger.change(id, { status: 'pending', dispatched_at: null })
  }

  #isHeld({ repository_id: repositoryId }: VerificationRow): boolean {
    return repositoryId !== null && this.#services.locks.isHeld({ repositoryId })
  }

  #snapshotOf({ snapshot_id, org_id }: VerificationRow): SnapshotRow | undefined {
    const all = q
      .selectFrom('backup_snapshots')
      .selectAll()
      .where('id', '=', snapshot_id ?? '')
    return this.#services.db.first(all.where('org_id', '=', org_id).where('expired_at', 'is', null))
  }

  /** Null when the storage is gone or turned off. */
  #payloadOf(row: VerificationRow, snapshot: SnapshotRow): CommandDirective['payload'] | null {
    const { engines, checksums, ledger } = this.#services
    if (snapshot.repository_id === null) return this.#publicPayload(row, snapshot)
    const opened = engines.open({
      orgId: row.org_id,
      configId: snapshot.config_id,
      deviceId: snapshot.device_id,
      commandId: row.id,
      mode: 'read',
      limitUploadKib: null,
    })
    if (!opened) return null
    const base = { verificationId: row.id, snapshotId: snapshot.snapshot_id, engine: opened.engine }
    if (row.verification_type === 'integrity')
      return {
        ...{ ...base, subset: row.subset, files: snapshot.file_count },
        listed: listedIn(this.#services.db, snapshot.repository_id).slice(0, mostListed),
      } satisfies z.input<typeof verifyPayload>
    return {
      ...{ ...base, checksums: checksums.of(snapshot.id), wholeUpToBytes },
      again: ledger.unrestored(row),
    } satisfies z.input<typeof testRestorePayload>
  }

  #publicPayload(row: VerificationRow, { config_id, snapshot_id }: SnapshotRow): CommandDirective['payload'] | null {
    const storage = this.#services.engines.openPublic(config_id)
    if (!storage) return null
    const { provider, providerConfig } = storage
    return { snapshotId: snapshot_id, verificationType: row.verification_type, provider, providerConfig }
  }
}

function outcomeIn(reported: ReportedResult): VerificationOutcome {
  const said = verificationOutcome.safeParse(objectIn(reported.result) ?? objectIn(reported.stdout))
  if (!said.success || reported.status !== 'completed')
    return failedBecause(reported.error ?? 'The device did not say what it found')
  return said.data.status === 'stopped' ? failedBecause(said.data.reason ?? 'The check was stopped') : said.data
}

/** Nothing is proven where nothing was looked at, unless there is nothing. */
const isEmptyPraise = ({ status, filesVerified }: VerificationOutcome, snapshot: SnapshotRow | undefined): boolean =>
  status === 'passed' && filesVerified === 0 && snapshot?.file_count !== 0
