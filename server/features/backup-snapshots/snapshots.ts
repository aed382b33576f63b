import { randomUUIDv7 } from 'node:crypto'
import type { BackupSnapshot, listBackupSnapshots } from '../../../shared/api/backup-snapshots.ts'
import type { BackupMode, BackupRetention } from '../../../shared/backup-plan.ts'
import { daysKept, generationsOf } from '../../../shared/backup-retention.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { toJson } from '../../lib/json.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Clock, day, iso, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Protection } from '../backup-policies/index.ts'
import { backupOrganization } from '../backup-storage/index.ts'
import type { Devices } from '../devices/index.ts'
import { canBeLocked, protectedFrom } from './protection-values.ts'
import { type NamedSnapshotRow, namedSnapshotRows, snapshotView } from './views.ts'

interface SnapshotServices {
  db: Database
  clock: Clock
  devices: Pick<Devices, 'find'>
}

/** What a device says of a snapshot that it made. */
export interface NewSnapshot {
  orgId: string
  deviceId: string
  configId: string
  repositoryId: string | null
  keyId: string | null
  jobId: string | null
  /** As the storage names it. */
  snapshotId: string
  mode: BackupMode
  label: string
  /** When it was made, if not now. */
  at?: number
  bytes: number
  files: number
  retention: BackupRetention
  protection: Protection
}

const typeOf: Record<BackupMode, BackupSnapshot['backupType']> = {
  file: 'file',
  system_image: 'system_image',
  database: 'database',
  vmhost: 'application',
}

const gfsTags = ['daily', 'weekly', 'monthly', 'yearly'] as const

/** What there is to restore from. */
export class Snapshots {
  readonly #services: SnapshotServices

  constructor(services: SnapshotServices) {
    this.#services = services
  }

  list(actor: UserActor, wanted: QueryOf<typeof listBackupSnapshots>): ReplyOf<typeof listBackupSnapshots> {
    const { db, clock } = this.#services
    const orgId = backupOrganization(db, actor, wanted.orgId)
    const { page, limit } = wanted
    let found = q
      .selectFrom('backup_snapshots')
      .where('org_id', '=', orgId)
      .where('expired_at', 'is', null)
      .where(withinReach(actor, 'backup_snapshots'))
    if (wanted.deviceId) found = found.where('device_id', '=', wanted.deviceId)
    if (wanted.configId) found = found.where('config_id', '=', wanted.configId)
    const now = isoNow(clock)
    const total = db.one(found.select((select) => select.fn.countAll<number>().as('total'))).total
    const ids = found
      .select('id')
      .orderBy('timestamp', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset((page - 1) * limit)
    const rows = db.all(
      namedSnapshotRows()
        .where('backup_snapshots.id', 'in', ids)
        .orderBy('timestamp', 'desc')
        .orderBy('backup_snapshots.id', 'desc'),
    )
    return { data: rows.map((row) => snapshotView(row, now)), pagination: { page, limit, total } }
  }

  read(actor: UserActor, id: string, named: string | undefined): BackupSnapshot {
    return snapshotView(this.find(actor, id, named), isoNow(this.#services.clock))
  }

  /**
   * A snapshot that the actor may see.
   * @throws AppError `backup_snapshot_not_found`, `site_access_denied`
   */
  find(actor: UserActor, id: string, named: string | undefined): NamedSnapshotRow {
    const { db, devices } = this.#services
    let found = namedSnapshotRows()
      .where('backup_snapshots.id', '=', id)
      .where('expired_at', 'is', null)
      .where(withinReach({ ...actor, sites: null }, 'backup_snapshots'))
    if (named) found = found.where('backup_snapshots.org_id', '=', named)
    const row = db.first(found)
    if (!row) throw new AppError('backup_snapshot_not_found')
    if (actor.sites !== null) devices.find(actor, row.device_id)
    return row
  }

  /** Whether there is any in this storage. */
  isIn(configId: string): boolean {
    const any = q.selectFrom('backup_snapshots').select('id').where('config_id', '=', configId).limit(1)
    return this.#services.db.first(any) !== undefined
  }

  areOf(deviceId: string): boolean {
    const any = q.selectFrom('backup_snapshots').select('id').where('device_id', '=', deviceId).limit(1)
    return this.#services.db.first(any) !== undefined
  }

  /** Joins the transaction of the result. The same snapshot told of again is one; answers the id of its row. */
  record(snapshot: NewSnapshot): string {
    const { db, clock } = this.#services
    const { orgId, deviceId, configId, snapshotId, retention } = snapshot
    const known = db.first(
      q
        .selectFrom('backup_snapshots')
        .select('id')
        .where('org_id', '=', orgId)
        .where('config_id', '=', configId)
        .where('device_id', '=', deviceId)
        .where('snapshot_id', '=', snapshotId),
    )
    if (known) return known.id
    const id = randomUUIDv7()
    const now = clock.now()
    const at = snapshot.at ?? now
    const generations = generationsOf(at, retention)
    const days = daysKept(generations, retention)
    db.run(
      q.insertInto('backup_snapshots').values({
        id,
        org_id: orgId,
        device_id: deviceId,
        config_id: configId,
        repository_id: snapshot.repositoryId,
        encryption_key_id: snapshot.keyId,
        job_id: snapshot.jobId,
        snapshot_id: snapshotId,
        timestamp: iso(at),
        size: snapshot.bytes,
        file_count: snapshot.files,
        label: snapshot.label,
        backup_type: typeOf[snapshot.mode],
        backup_mode: snapshot.mode,
        gfs_tags: toJson(gfsTags.filter((tag) => generations[tag])),
        expires_at: days === null ? null : iso(at + days * day),
        ...protectedFrom(
          at,
          snapshot.protection,
          canBeLocked(db, { config_id: configId, repository_id: snapshot.repositoryId }),
        ),
        created_at: iso(now),
        updated_at: iso(now),
      }),
    )
    return id
  }

  /** The storage has it under another name now; which files it has is read anew. Joins the transaction under way. */
  rename(repositoryId: string, snapshotId: string, newId: string): { id: string; orgId: string } | null {
    const { db, clock } = this.#services
    const row = db.first(
      q
        .selectFrom('backup_snapshots')
        .select(['id', 'org_id'])
        .where('repository_id', '=', repositoryId)
        .where('snapshot_id', '=', snapshotId),
    )
    if (!row) return null
    db.run(
      q
        .updateTable('backup_snapshots')
        .set({ snapshot_id: newId, updated_at: isoNow(clock) })
        .where('id', '=', row.id),
    )
    return { id: row.id, orgId: row.org_id }
  }
}
