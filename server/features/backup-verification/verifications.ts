import type {
  listVerifications,
  summarizeVerifications,
  Verification,
  verifyBackup,
} from '../../../shared/api/backup-verification.ts'
import type { BodyOf, QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { inSteps, type Steps, shownInSteps, untilDone } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, day, iso } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { SnapshotRow } from '../backup-snapshots/index.ts'
import { backupOrganization } from '../backup-storage/index.ts'
import type { Device, Devices } from '../devices/index.ts'
import type { CheckPlace, CheckPlaces } from './places.ts'
import type { Starts } from './starts.ts'
import { type VerificationRow, verificationById, verificationRows, verificationView } from './store.ts'

interface VerificationServices {
  db: Database
  clock: Clock
  audit: Audit
  devices: Devices
  places: CheckPlaces
  starts: Starts
}

type Wish = BodyOf<typeof verifyBackup>
type Summary = ReplyOf<typeof summarizeVerifications>['data']

const provenWithinMs = 30 * day
const devicesPerRead = 100

/** What came of the checks of a device since then, and whether one found something that no later one has outweighed. */
const summaryOf = `
  SELECT
    EXISTS (SELECT 1 FROM backup_verifications AS check_ INDEXED BY backup_verifications_device
      WHERE device_id = wanted.value AND org_id = @orgId AND created_at >= @since AND status = 'passed'
        AND verification_type = 'test_restore') AS isRestored,
    EXISTS (SELECT 1 FROM backup_verifications AS check_ INDEXED BY backup_verifications_device
      WHERE device_id = wanted.value AND org_id = @orgId AND created_at >= @since AND status = 'passed') AS isProven,
    EXISTS (SELECT 1 FROM backup_attention WHERE device_id = wanted.value AND org_id = @orgId
        AND kind = 'verification_failed' AND resolved_at IS NULL) AS isFailing
  FROM json_each(@ids) AS wanted
  WHERE EXISTS (SELECT 1 FROM backup_snapshots INDEXED BY backup_snapshots_device
    WHERE device_id = wanted.value AND org_id = @orgId AND expired_at IS NULL)`

/** Checks of backups, as people ask for them and see them. */
export class Verifications {
  readonly #services: VerificationServices

  constructor(services: VerificationServices) {
    this.#services = services
  }

  async verify(actor: UserActor, wanted: Wish, named: string | undefined): Promise<ReplyOf<typeof verifyBackup>> {
    const { db, places, starts } = this.#services
    const place = await places.of(this.#find(actor, wanted, named).snapshot, wanted.verificationType)
    // Asked once more: it may have changed meanwhile.
    const id = db.transaction(() => this.#start(actor, wanted, named, place))
    starts.now(id)
    return { data: { verification: this.#view(id), readiness: null } }
  }

  list(actor: UserActor, wanted: QueryOf<typeof listVerifications>): Promise<ReplyOf<typeof listVerifications>> {
    return inSteps(untilDone, this.#list(actor, wanted))
  }

  summary(actor: UserActor, named: string | undefined): Promise<{ data: Summary }> {
    return inSteps(untilDone, this.#summarize(actor, named))
  }

  #start(actor: UserActor, wanted: Wish, named: string | undefined, place: CheckPlace | null): string {
    const { audit, places, starts } = this.#services
    const { device, snapshot } = this.#find(actor, wanted, named)
    if (!place) throw new AppError('restore_storage_gone', { reason: 'config_not_found' })
    if (place.ranOn === 'device') places.assertDeviceCan(device, snapshot)
    const type = wanted.verificationType
    const id = starts.begin({
      ...{ snapshot, type, source: 'manual', ranOn: place.ranOn },
      ...{ requestedBy: actor.userId, subset: null },
    })
    audit(actor, {
      action: 'backup.verification.run',
      resourceType: 'device',
      resourceId: device.id,
      resourceName: device.display_name ?? device.hostname,
      orgId: device.org_id,
      details: { verificationId: id, verificationType: type, snapshotId: snapshot.id, ranOn: place.ranOn },
    })
    return id
  }

  #find(actor: UserActor, wanted: Wish, named: string | undefined): { device: Device; snapshot: SnapshotRow } {
    const device = this.#services.devices.findOperable(actor, wanted.deviceId)
    if (named !== undefined && device.org_id !== named) throw new AppError('device_not_found')
    return { device, snapshot: this.#snapshotOf(device, wanted) }
  }

  /** @throws AppError `verification_*` */
  #snapshotOf(device: Device, { snapshotId, backupJobId }: Wish): SnapshotRow {
    const { db } = this.#services
    const own = q
      .selectFrom('backup_snapshots')
      .selectAll()
      .where('org_id', '=', device.org_id)
      .where('expired_at', 'is', null)
    if (snapshotId !== undefined) {
      const found = db.first(own.where('id', '=', snapshotId))
      if (!found) throw new AppError('verification_snapshot_unknown')
      if (found.device_id !== device.id) throw new AppError('verification_snapshot_of_other_device')
      if (backupJobId !== undefined && found.job_id !== backupJobId) throw new AppError('verification_job_unknown')
      return found
    }
    const ofDevice = own.where('device_id', '=', device.id)
    if (backupJobId !== undefined) {
      const job = q.selectFrom('backup_jobs').select('id').where('id', '=', backupJobId)
      if (!db.first(job.where('device_id', '=', device.id).where('org_id', '=', device.org_id)))
        throw new AppError('verification_job_unknown')
      const found = db.first(ofDevice.where('job_id', '=', backupJobId))
      if (!found) throw new AppError('verification_without_snapshot')
      return found
    }
    const newest = db.first(ofDevice.orderBy('timestamp', 'desc').orderBy('id', 'desc').limit(1))
    if (!newest) throw new AppError('verification_without_snapshot')
    return newest
  }

  *#list(actor: UserActor, wanted: QueryOf<typeof listVerifications>): Steps<{ data: Verification[] }> {
    const { db } = this.#services
    const orgId = backupOrganization(db, actor, wanted.orgId)
    let found = q
      .selectFrom('backup_verifications')
      .select('id')
      .where('org_id', '=', orgId)
      .where(withinReach(actor, 'backup_verifications'))
    if (wanted.deviceId) found = found.where('device_id', '=', wanted.deviceId)
    if (wanted.backupJobId) found = found.where('backup_job_id', '=', wanted.backupJobId)
    if (wanted.snapshotId) found = found.where('snapshot_id', '=', wanted.snapshotId)
    if (wanted.verificationType) found = found.where('verification_type', '=', wanted.verificationType)
    if (wanted.status) found = found.where('status', '=', wanted.status)
    if (wanted.from) found = found.where('created_at', '>=', wanted.from)
    if (wanted.to) found = found.where('created_at', '<=', wanted.to)
    const ids = db.all(found.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(wanted.limit))
    const read = (some: readonly { id: string }[]) =>
      db.all(
        verificationRows()
          .where(
            'backup_verifications.id',
            'in',
            some.map(({ id }) => id),
          )
          .orderBy('backup_verifications.created_at', 'desc')
          .orderBy('backup_verifications.id', 'desc'),
      )
    return { data: yield* shownInSteps(ids, read, verificationView) }
  }

  *#summarize(actor: UserActor, named: string | undefined): Steps<{ data: Summary }> {
    const { db, clock } = this.#services
    const orgId = backupOrganization(db, actor, named)
    const since = iso(clock.now() - provenWithinMs)
    const ids = db
      .all(
        q
          .selectFrom('devices')
          .select('id')
          .where('org_id', '=', orgId)
          .where('status', '<>', 'decommissioned')
          .where(withinReach(actor, 'devices')),
      )
      .map(({ id }) => id)
    const data: Summary = { devices: 0, restored: 0, proven: 0, failing: 0 }
    for (let at = 0; at < ids.length; at += devicesPerRead) {
      yield
      const rows = db
        .statement<{ isRestored: number; isProven: number; isFailing: number }>(summaryOf)
        .all({ orgId, since, ids: JSON.stringify(ids.slice(at, at + devicesPerRead)) })
      data.devices += rows.length
      for (const { isRestored, isProven, isFailing } of rows) {
        data.failing += isFailing
        if (isFailing) continue
        data.restored += isRestored
        data.proven += isProven
      }
    }
    return { data }
  }

  #view(id: string): Verification {
    return verificationView(verificationById(this.#services.db, id) as VerificationRow)
  }
}
