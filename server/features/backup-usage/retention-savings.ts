import type { PolicySavings } from '../../../shared/api/backup-usage.ts'
import type { BackupMode, BackupRetention } from '../../../shared/backup-plan.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { BackupPolicies } from '../backup-policies/index.ts'
import { backupOrganization } from '../backup-storage/index.ts'
import { isSnapshotBeforeUnusualChange } from '../unusual-changes/index.ts'
import { goingUnder, type KeptSnapshot, lessThan, savedBytes } from './savings.ts'

interface SavingsServices {
  db: Database
  clock: Clock
  backupPolicies: BackupPolicies
}

interface PolicyDevices {
  policyId: string
  policyName: string
  retention: BackupRetention
  deviceIds: string[]
}

interface SnapshotFigures {
  configId: string
  mode: BackupMode
  timestamp: string
  size: number
  addedBytes: number | null
  isProtected: 0 | 1
}

const snapshotsOf = `
  SELECT snapshot.config_id AS configId, snapshot.backup_mode AS mode, snapshot.timestamp, snapshot.size,
    backup_jobs.transferred_size AS addedBytes,
    snapshot.legal_hold = 1 OR (snapshot.is_immutable = 1 AND snapshot.immutable_until > @now)
      OR ${isSnapshotBeforeUnusualChange('snapshot')} AS isProtected
  FROM backup_snapshots AS snapshot INDEXED BY backup_snapshots_device
    LEFT JOIN backup_jobs ON backup_jobs.id = snapshot.job_id
  WHERE snapshot.device_id = @deviceId AND snapshot.org_id = @org AND snapshot.expired_at IS NULL`

interface Stored {
  storedBytes: number | null
  dataBytes: number | null
  uncompressedBytes: number | null
}

const storedOf = `
  SELECT sum(stored_bytes) AS storedBytes, sum(data_bytes) AS dataBytes, sum(uncompressed_bytes) AS uncompressedBytes
  FROM backup_repositories INDEXED BY backup_repositories_device WHERE device_id = @deviceId AND org_id = @org`

/** What each policy would save if it kept less. */
export class RetentionSavings {
  readonly #services: SavingsServices

  constructor(services: SavingsServices) {
    this.#services = services
  }

  *read(actor: UserActor, named: string | undefined): Steps<PolicySavings[]> {
    const { db } = this.#services
    const orgId = backupOrganization(db, actor, named)
    const found: PolicySavings[] = []
    for (const policy of yield* this.#policies(actor, orgId)) found.push(yield* this.#ofPolicy(policy, orgId))
    return found.toSorted(
      (one, other) => other.savedBytes - one.savedBytes || one.policyName.localeCompare(other.policyName),
    )
  }

  *#policies(actor: UserActor, orgId: string): Steps<Iterable<PolicyDevices>> {
    const { db, backupPolicies } = this.#services
    const seen = q.selectFrom('devices').select('id').where('org_id', '=', orgId).where(withinReach(actor, 'devices'))
    const ids = new Set(db.all(seen).map(({ id }) => id))
    const policies = new Map<string, PolicyDevices>()
    yield* backupPolicies.inOrganization(orgId, ({ device, source, plan }) => {
      if (!source || !plan || !ids.has(device.id)) return
      const { policyId, policyName } = source
      const known = policies.get(policyId) ?? { policyId, policyName, retention: plan.retention, deviceIds: [] }
      policies.set(policyId, known)
      known.deviceIds.push(device.id)
    })
    return policies.values()
  }

  *#ofPolicy({ policyId, policyName, retention, deviceIds }: PolicyDevices, orgId: string): Steps<PolicySavings> {
    const { db, clock } = this.#services
    const less = lessThan(retention)
    const savings: PolicySavings = {
      ...{ policyId, policyName, devices: deviceIds.length, snapshots: 0, storedBytes: 0 },
      ...{ less, goingSnapshots: 0, savedBytes: 0 },
    }
    for (const deviceId of deviceIds) {
      yield
      const of = { deviceId, org: orgId }
      const rows = db.statement<SnapshotFigures>(snapshotsOf).all({ ...of, now: isoNow(clock) })
      const stored = db.statement<Stored>(storedOf).get(of) as Stored
      const storedBytes = stored.storedBytes ?? 0
      savings.snapshots += rows.length
      savings.storedBytes += storedBytes
      if (!less || rows.length === 0) continue
      const snapshots = rows.map(keptSnapshot)
      const going = goingUnder(retention, less, snapshots, clock.now())
      const compression = stored.uncompressedBytes && stored.dataBytes ? stored.uncompressedBytes / stored.dataBytes : 1
      savings.goingSnapshots += going.size
      savings.savedBytes += savedBytes(snapshots, going, { storedBytes, compression })
    }
    return savings
  }
}

const keptSnapshot = ({ configId, mode, timestamp, size, addedBytes, isProtected }: SnapshotFigures): KeptSnapshot => ({
  series: `${configId} ${mode}`,
  takenAt: Date.parse(timestamp),
  size,
  addedBytes,
  isProtected: isProtected === 1,
})
