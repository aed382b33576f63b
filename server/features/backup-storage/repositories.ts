import { randomUUIDv7 } from 'node:crypto'
import { posix } from 'node:path'
import type { Selectable } from 'kysely'
import type { Measured } from '../../../shared/node/restic-maintenance.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { randomHex } from '../../platform/secrets.ts'
import type { ManagedKeys } from './managed-keys.ts'
import { passwordFrom } from './recovery-key.ts'
import type { BackupRepositoryTable } from './tables.ts'

export type RepositoryRow = Selectable<BackupRepositoryTable>

interface RepositoryServices {
  db: Database
  clock: Clock
  keys: ManagedKeys
}

/** Whose repository it is, and where. */
export interface RepositoryOwner {
  orgId: string
  configId: string
  deviceId: string
}

/**
 * The repository of each device in each storage. One for each, so that what a device holds opens its own data only, and
 * the locks of one are not in the way of another. Its password is the server's: another device can take the place of one
 * that is lost.
 */
export class Repositories {
  readonly #services: RepositoryServices

  constructor(services: RepositoryServices) {
    this.#services = services
  }

  /** The repository, which is made when there is none; to be called in a transaction. */
  ensure({ orgId, configId, deviceId }: RepositoryOwner): RepositoryRow {
    const { db, clock, keys } = this.#services
    const existing = q
      .selectFrom('backup_repositories')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('config_id', '=', configId)
      .where('device_id', '=', deviceId)
    const found = db.first(existing)
    if (found) return found
    const now = isoNow(clock)
    const id = randomUUIDv7()
    db.run(
      q.insertInto('backup_repositories').values({
        id,
        org_id: orgId,
        config_id: configId,
        device_id: deviceId,
        sub_path: `${orgId}/${id}`,
        key_id: keys.current(orgId),
        created_at: now,
        updated_at: now,
      }),
    )
    return db.one(existing)
  }

  find(id: string): RepositoryRow | undefined {
    return this.#services.db.first(q.selectFrom('backup_repositories').selectAll().where('id', '=', id))
  }

  /** Those of a device that is deleted; what lies in them is removed later. Joins the transaction. */
  forget(deviceId: string): void {
    this.#services.db.run(q.deleteFrom('backup_repositories').where('device_id', '=', deviceId))
  }

  ofDevice(deviceId: string): Pick<RepositoryRow, 'id' | 'org_id' | 'config_id' | 'device_id'>[] {
    const all = q.selectFrom('backup_repositories').select(['id', 'org_id', 'config_id', 'device_id'])
    return this.#services.db.all(all.where('device_id', '=', deviceId))
  }

  areIn(configId: string): boolean {
    const any = q.selectFrom('backup_repositories').select('id').where('config_id', '=', configId).limit(1)
    return this.#services.db.first(any) !== undefined
  }

  /**
   * How maintenance went; `error` in words that people of the organization may read. `isCounted`: the store of the
   * appliance counts itself what it holds.
   */
  noteMaintenance(id: string, outcome: { error: string } | { measured: Measured | null; isCounted: boolean }): void {
    const { db, clock } = this.#services
    const now = isoNow(clock)
    const measured = 'error' in outcome ? null : outcome.measured
    db.run(
      q
        .updateTable('backup_repositories')
        .set({
          maintained_at: now,
          maintenance_error: 'error' in outcome ? outcome.error : null,
          ...(!('error' in outcome) && { last_prune_at: now }),
          ...(measured && {
            data_bytes: measured.storedBytes,
            uncompressed_bytes: measured.uncompressedBytes,
            files_bytes: this.#bytesOfFiles(id),
            measured_at: now,
          }),
          ...(measured && !('error' in outcome) && !outcome.isCounted && { stored_bytes: measured.storedBytes }),
          updated_at: now,
        })
        .where('id', '=', id),
    )
  }

  /** In all snapshots whose data is in the repository. */
  #bytesOfFiles(id: string): number {
    const there = q.selectFrom('backup_snapshots').where('repository_id', '=', id)
    return this.#services.db.one(
      there
        .select((select) => select.fn.coalesce(select.fn.sum<number>('size'), select.lit(0)).as('bytes'))
        .where('objects_deleted_at', 'is', null),
    ).bytes
  }

  setState(id: string, state: RepositoryRow['state']): void {
    const { db, clock } = this.#services
    db.run(
      q
        .updateTable('backup_repositories')
        .set({ state, updated_at: isoNow(clock) })
        .where('id', '=', id),
    )
  }

  /** For one that was never used, where something stands in its way: the next backup makes it in another folder. */
  moveElsewhere({ id, org_id }: RepositoryRow): void {
    const { db, clock } = this.#services
    db.run(
      q
        .updateTable('backup_repositories')
        .set({ sub_path: `${org_id}/${id}-${randomHex(4)}`, updated_at: isoNow(clock) })
        .where('id', '=', id)
        .where('state', '=', 'new'),
    )
  }

  /** The password of restic; with `key_id` of another key the one that follows from that. */
  passwordOf({ key_id, sub_path }: Pick<RepositoryRow, 'key_id' | 'sub_path'>): string {
    return passwordFrom(this.#services.keys.materialOf(key_id), folderNameOf({ sub_path }))
  }
}

/** Of the folder in which the repository lies, in whatever storage. */
export const folderNameOf = ({ sub_path }: Pick<RepositoryRow, 'sub_path'>): string => posix.basename(sub_path)
