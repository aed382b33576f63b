import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { hashOfKey, newRecoveryKey } from './recovery-key.ts'

interface KeyServices {
  db: Database
  clock: Clock
  secrets: Secrets
}

const contextOf = (keyId: string) => `storage_encryption_keys:encrypted_private_key:${keyId}`

/** The keys that the appliance makes, from which the passwords of repositories follow. */
export class ManagedKeys {
  readonly #services: KeyServices

  constructor(services: KeyServices) {
    this.#services = services
  }

  /** Id of the key that new repositories of an organization get; it is made when there is none. Joins the transaction. */
  current(orgId: string): string {
    const { db } = this.#services
    const newest = db.first(
      q
        .selectFrom('storage_encryption_keys')
        .select('id')
        .where('org_id', '=', orgId)
        .where('is_managed', '=', 1)
        .where('is_active', '=', 1)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1),
    )
    return newest?.id ?? this.make(orgId, 'Backup key')
  }

  /** Answers its id. Joins the transaction. */
  make(orgId: string, name: string): string {
    const { db, clock } = this.#services
    const id = randomUUIDv7()
    const now = isoNow(clock)
    const key = newRecoveryKey()
    db.run(
      q.insertInto('storage_encryption_keys').values({
        id,
        org_id: orgId,
        name,
        encrypted_private_key: this.seal(id, key),
        key_hash: hashOfKey(key),
        created_at: now,
        updated_at: now,
      }),
    )
    return id
  }

  /** Secret. */
  materialOf(keyId: string): string {
    const { db, secrets } = this.#services
    const key = db.one(q.selectFrom('storage_encryption_keys').select('encrypted_private_key').where('id', '=', keyId))
    return secrets.decrypt(key.encrypted_private_key, contextOf(keyId))
  }

  /** As it is stored. */
  seal(keyId: string, material: string): string {
    return this.#services.secrets.encrypt(material, contextOf(keyId))
  }
}
