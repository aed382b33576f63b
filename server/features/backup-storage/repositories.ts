import { randomBytes, randomUUIDv7 } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { randomHex, type Secrets, sha256 } from '../../platform/secrets.ts'
import type { BackupRepositoryTable } from './tables.ts'

export type RepositoryRow = Selectable<BackupRepositoryTable>

interface RepositoryServices {
  db: Database
  clock: Clock
  secrets: Secrets
}

/** Whose repository it is, and where. */
export interface RepositoryOwner {
  orgId: string
  configId: string
  deviceId: string
}

const contextOf = (keyId: string) => `storage_encryption_keys:encrypted_private_key:${keyId}`

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
    const { db, clock } = this.#services
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
        sub_path: `${orgId}/${deviceId}`,
        key_id: this.#makeKey(orgId, now),
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

  /** How maintenance went; `error` in words that people of the organization may read. */
  noteMaintenance(id: string, outcome: { error: string } | { storedBytes: number | null }): void {
    const { db, clock } = this.#services
    const now = isoNow(clock)
    const storedBytes = 'error' in outcome ? null : outcome.storedBytes
    db.run(
      q
        .updateTable('backup_repositories')
        .set({
          maintained_at: now,
          maintenance_error: 'error' in outcome ? outcome.error : null,
          ...(!('error' in outcome) && { last_prune_at: now }),
          ...(storedBytes !== null && { stored_bytes: storedBytes, measured_at: now }),
          updated_at: now,
        })
        .where('id', '=', id),
    )
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
  moveElsewhere({ id, org_id, device_id }: RepositoryRow): void {
    const { db, clock } = this.#services
    db.run(
      q
        .updateTable('backup_repositories')
        .set({ sub_path: `${org_id}/${device_id}-${randomHex(4)}`, updated_at: isoNow(clock) })
        .where('id', '=', id)
        .where('state', '=', 'new'),
    )
  }

  /** The password of restic. */
  passwordOf({ key_id }: Pick<RepositoryRow, 'key_id'>): string {
    const { db, secrets } = this.#services
    const key = db.one(q.selectFrom('storage_encryption_keys').select('encrypted_private_key').where('id', '=', key_id))
    return secrets.decrypt(key.encrypted_private_key, contextOf(key_id))
  }

  #makeKey(orgId: string, now: string): string {
    const { db, secrets } = this.#services
    const id = randomUUIDv7()
    const password = randomBytes(32).toString('base64url')
    db.run(
      q.insertInto('storage_encryption_keys').values({
        id,
        org_id: orgId,
        name: 'Backup key',
        encrypted_private_key: secrets.encrypt(password, contextOf(id)),
        key_hash: sha256(password),
        created_at: now,
        updated_at: now,
      }),
    )
    return id
  }
}
