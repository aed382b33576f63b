import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces, inSteps } from '../../lib/pieces.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { BackupPolicies } from '../backup-policies/index.ts'
import { frozenBecause, type OrganizationRow } from '../organization-access/index.ts'
import { isSnapshotBeforeUnusualChange } from '../unusual-changes/index.ts'

interface RetentionServices {
  db: Database
  clock: Clock
  audit: Audit
  backupPolicies: BackupPolicies
}

type Organization = Pick<OrganizationRow, 'id' | 'name' | 'status'>

/** Of a device whose policy keeps so many snapshots in each storage. */
interface Versions {
  deviceId: string
  maxVersions: number
}

const actor = systemActor('backup.expire')

/**
 * Its last check found it whole, or there was none yet. One that is damaged, or that a device has only claimed to have
 * made, does not stand in for an older one.
 */
const isSound = (snapshot: string) => `NOT EXISTS (
  SELECT 1 FROM backup_verifications AS bad
  WHERE bad.snapshot_id = ${snapshot}.id AND bad.verification_type = 'integrity' AND bad.status = 'failed'
    AND NOT EXISTS (
      SELECT 1 FROM backup_verifications AS good
      WHERE good.snapshot_id = bad.snapshot_id AND good.verification_type = 'integrity' AND good.status = 'passed'
        AND (good.created_at, good.id) > (bad.created_at, bad.id)))`

/** A newer one of the same kind in the same place can be restored from. */
const isNotTheLast = `EXISTS (
  SELECT 1 FROM backup_snapshots AS newer
  WHERE newer.device_id = snapshot.device_id AND newer.config_id = snapshot.config_id
    AND newer.backup_mode = snapshot.backup_mode AND newer.expired_at IS NULL
    AND (newer.timestamp, newer.id) > (snapshot.timestamp, snapshot.id) AND ${isSound('newer')})`

/** What nothing keeps: no legal hold, no immutability, no restore that reads it, no unusual change after it, and not the last. */
const mayExpire = `snapshot.expired_at IS NULL AND snapshot.legal_hold = 0
  AND (snapshot.is_immutable = 0 OR snapshot.immutable_until <= @now)
  AND NOT EXISTS (
    SELECT 1 FROM restore_jobs WHERE restore_jobs.snapshot_id = snapshot.id AND status IN ('pending', 'running'))
  AND NOT ${isSnapshotBeforeUnusualChange('snapshot')} AND ${isNotTheLast}`

const tooOld = `SELECT snapshot.id FROM backup_snapshots AS snapshot
  WHERE snapshot.org_id = @orgId AND snapshot.expires_at <= @now AND ${mayExpire} LIMIT @maxRows`

/** Snapshots of a device beyond the newest so many that are sound, in each storage. */
const tooMany = `SELECT snapshot.id FROM backup_snapshots AS snapshot
  JOIN (SELECT id, sum(is_sound) OVER (PARTITION BY config_id ORDER BY timestamp DESC, id DESC) - is_sound AS newer
        FROM (SELECT *, ${isSound('own')} AS is_sound FROM backup_snapshots AS own
              WHERE device_id = @deviceId AND org_id = @orgId AND expired_at IS NULL)) AS ranked
    ON ranked.id = snapshot.id
  WHERE ranked.newer >= @maxVersions AND ${mayExpire}`

/** Marks snapshots that need not be kept any more. They are gone for people; their data goes with maintenance. */
export class BackupRetention {
  readonly #services: RetentionServices

  constructor(services: RetentionServices) {
    this.#services = services
  }

  /** Answers how many snapshots it marked. */
  async run(signal: AbortSignal): Promise<number> {
    let expired = 0
    for (const org of this.#organizations()) {
      expired += await this.#expireOld(org, signal)
      expired += await this.#expireBeyond(org, signal)
    }
    return expired
  }

  #organizations(): Organization[] {
    return this.#services.db.all(
      q
        .selectFrom('organizations')
        .select(['id', 'name', 'status'])
        .where('deleted_at', 'is', null)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('backup_snapshots')
              .select('backup_snapshots.id')
              .whereRef('backup_snapshots.org_id', '=', 'organizations.id'),
          ),
        ),
    )
  }

  #expireOld(org: Organization, signal: AbortSignal): Promise<number> {
    const { db, clock } = this.#services
    const find = db.statement<string>(tooOld).pluck()
    return inPieces(signal, (maxRows) =>
      this.#expire(org, 'age', () => find.all({ orgId: org.id, now: isoNow(clock), maxRows })),
    )
  }

  async #expireBeyond(org: Organization, signal: AbortSignal): Promise<number> {
    const { db, clock } = this.#services
    const devices = await this.#versionsIn(org.id, signal)
    const find = db.statement<string>(tooMany).pluck()
    let expired = 0
    await inPieces(signal, (maxRows) => {
      const some = devices.splice(0, maxRows)
      expired += this.#expire(org, 'versions', () =>
        some.flatMap((device) => find.all({ ...device, orgId: org.id, now: isoNow(clock) })),
      )
      return some.length
    })
    return expired
  }

  /** By the policies of now, not by those that counted when the snapshots were made. */
  async #versionsIn(orgId: string, signal: AbortSignal): Promise<Versions[]> {
    const devices: Versions[] = []
    const found = this.#services.backupPolicies.inOrganization(orgId, ({ device, plan }) => {
      const maxVersions = plan?.retention.maxVersions
      if (maxVersions !== undefined) devices.push({ deviceId: device.id, maxVersions })
    })
    await inSteps(signal, found)
    return devices
  }

  /** Answers how many. */
  #expire(org: Organization, because: 'age' | 'versions', find: () => string[]): number {
    const { db, clock, audit } = this.#services
    return db.transaction(() => {
      if (this.#isFrozen(org)) return 0
      const ids = find()
      if (ids.length === 0) return 0
      const now = isoNow(clock)
      db.run(q.updateTable('backup_snapshots').set({ expired_at: now, updated_at: now }).where('id', 'in', ids))
      audit(actor, {
        action: 'backup.snapshot.expire',
        resourceType: 'organization',
        resourceId: org.id,
        resourceName: org.name,
        orgId: org.id,
        details: { snapshots: ids.length, because },
      })
      return ids.length
    })
  }

  /** An archived organization comes back with everything, and a merge may still be taken back. */
  #isFrozen({ id }: Organization): boolean {
    const { db } = this.#services
    const org = db.first(q.selectFrom('organizations').select(['id', 'status']).where('id', '=', id))
    return !org || frozenBecause(db, org) !== null
  }
}
