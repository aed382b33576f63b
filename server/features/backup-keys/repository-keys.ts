import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, hour, iso, isoNow } from '../../platform/clock.ts'
import type { ManagedKeys, RepositoryRow } from '../backup-storage/index.ts'

interface RowServices {
  db: Database
  clock: Clock
  audit: Audit
  keys: ManagedKeys
}

/** One that could not be reached is tried again after this. */
const triedEveryMs = hour
const mostAtOnce = 1000

const due = `SELECT id FROM backup_repositories WHERE id IN (
    SELECT repository.id FROM storage_encryption_keys AS key
    JOIN backup_repositories AS repository ON repository.key_id = key.id
    WHERE key.is_active = 0
    UNION SELECT repository_id FROM backup_repository_keys)
  AND state != 'retired' AND (key_tried_at IS NULL OR key_tried_at <= @before)
  ORDER BY key_tried_at, id LIMIT ${mostAtOnce}`

const actor = systemActor('backup.rotate-keys')

/**
 * Which keys open a repository, as far as the appliance knows. A key is noted before anything is done with it in the
 * repository, so that whenever the appliance stops, the key in the row of the repository opens it.
 */
export class RepositoryKeys {
  readonly #services: RowServices

  constructor(services: RowServices) {
    this.#services = services
  }

  /** Repositories whose key is to change, or that a former key still opens. */
  due(): string[] {
    const { db, clock } = this.#services
    return db
      .statement<{ id: string }>(due)
      .all({ before: iso(clock.now() - triedEveryMs) })
      .map(({ id }) => id)
  }

  /** The key that is to take the place of its own, noted; null when its own is to stay. */
  begin({ id, org_id, key_id }: RepositoryRow): string | null {
    const { db, clock, keys } = this.#services
    return db.transaction(() => {
      const own = db.one(q.selectFrom('storage_encryption_keys').select('is_active').where('id', '=', key_id))
      if (own.is_active === 1) return null
      const next = keys.current(org_id)
      this.#note(id, next, isoNow(clock))
      return next
    })
  }

  /** The new key opens it for sure. The old one is noted until it is removed; one that was never put in counts for nothing. */
  change(repository: RepositoryRow, keyId: string, isOldLeft: boolean): void {
    const { db, clock, audit } = this.#services
    const { id, org_id, key_id: oldKeyId, device_id } = repository
    db.transaction(() => {
      const now = isoNow(clock)
      db.run(q.updateTable('backup_repositories').set({ key_id: keyId, updated_at: now }).where('id', '=', id))
      db.run(
        q
          .updateTable('backup_snapshots')
          .set({ encryption_key_id: keyId, updated_at: now })
          .where('repository_id', '=', id)
          .where('encryption_key_id', '=', oldKeyId),
      )
      this.removed(id, keyId)
      if (isOldLeft) this.#note(id, oldKeyId, now)
      const device = db.first(q.selectFrom('devices').select(['display_name', 'hostname']).where('id', '=', device_id))
      audit(actor, {
        action: 'backup.repository.change_key',
        resourceType: 'device',
        resourceId: device_id,
        resourceName: device?.display_name ?? device?.hostname ?? null,
        orgId: org_id,
        details: { configId: repository.config_id, keyId, previousKeyId: oldKeyId },
      })
    })
  }

  /** Keys beside its own that may still open it. */
  others(repositoryId: string): string[] {
    const noted = q.selectFrom('backup_repository_keys').select('key_id').where('repository_id', '=', repositoryId)
    return this.#services.db.all(noted.orderBy('id')).map(({ key_id }) => key_id)
  }

  removed(repositoryId: string, keyId: string): void {
    this.#services.db.run(
      q.deleteFrom('backup_repository_keys').where('repository_id', '=', repositoryId).where('key_id', '=', keyId),
    )
  }

  /** `error` in words that people of the organization may read; null when all is done. */
  tried(repositoryId: string, error: string | null): void {
    const { db, clock } = this.#services
    const now = isoNow(clock)
    db.run(
      q
        .updateTable('backup_repositories')
        .set({ key_tried_at: error === null ? null : now, key_error: error, updated_at: now })
        .where('id', '=', repositoryId),
    )
  }

  #note(repositoryId: string, keyId: string, now: string): void {
    const row = { id: randomUUIDv7(), repository_id: repositoryId, key_id: keyId, created_at: now }
    this.#services.db.run(
      q
        .insertInto('backup_repository_keys')
        .values(row)
        .onConflict((conflict) => conflict.columns(['repository_id', 'key_id']).doNothing()),
    )
  }
}
