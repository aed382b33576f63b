import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, iso, isoNow, minute } from '../../platform/clock.ts'
import { equalSecrets, randomHex, sha256 } from '../../platform/secrets.ts'
import type { StoreMode } from './tables.ts'

export interface StoreCredential {
  id: string
  secret: string
}

export interface CredentialWish {
  repositoryId: string
  /** The backup or restore that it is for. */
  commandId: string
  mode: StoreMode
  lifeMs: number
  /** A folder with a second copy, to be read in place of the repository. */
  folder?: string
}

/** Who may work with which repository: what a credential says that was shown. */
export interface StoreCaller {
  credentialId: string
  /** The backup or restore that it is for. */
  commandId: string
  mode: StoreMode
  repositoryId: string
  orgId: string
  deviceId: string
  /** With a second copy, which is read in place of the repository; nothing is written there. */
  folder: string | null
  /** A repository that was never used may be made. */
  isNew: boolean
}

/** restic that was told to stop gets half a minute before it is killed. */
const windDownMs = 2 * minute

/** Credentials for one command each, hashed. */
export class StoreCredentials {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** To be called in the transaction in which the command is dispatched. */
  issue({ repositoryId, commandId, mode, lifeMs, folder }: CredentialWish): StoreCredential {
    const credential = { id: randomUUIDv7(), secret: randomHex(32) }
    this.#db.run(
      q.insertInto('backup_store_credentials').values({
        id: credential.id,
        repository_id: repositoryId,
        command_id: commandId,
        mode,
        secret_hash: sha256(credential.secret),
        folder: folder ?? null,
        created_at: isoNow(this.#clock),
        expires_at: iso(this.#clock.now() + lifeMs),
      }),
    )
    return credential
  }

  /** When the command is over. */
  revoke(commandId: string): void {
    this.#db.run(q.deleteFrom('backup_store_credentials').where('command_id', '=', commandId))
  }

  /** Written only once half of its life is over: this is called every few seconds. */
  prolong(commandId: string, lifeMs: number): void {
    const now = this.#clock.now()
    this.#db.run(
      q
        .updateTable('backup_store_credentials')
        .set({ expires_at: iso(now + lifeMs) })
        .where('command_id', '=', commandId)
        .where('expires_at', '<', iso(now + lifeMs / 2)),
    )
  }

  /** When the command is to end: what works on it may still remove its locks, and look at what it has made. */
  windDown(commandId: string): void {
    const now = this.#clock.now()
    this.#db.run(
      q
        .updateTable('backup_store_credentials')
        .set({ mode: 'read', expires_at: iso(now + windDownMs) })
        .where('command_id', '=', commandId)
        .where('expires_at', '>', iso(now)),
    )
  }

  removeExpired(): void {
    this.#db.run(q.deleteFrom('backup_store_credentials').where('expires_at', '<=', isoNow(this.#clock)))
  }

  /** Null for an unknown, wrong or expired credential. */
  find({ id, secret }: StoreCredential): StoreCaller | null {
    const row = this.#db.first(
      q
        .selectFrom('backup_store_credentials as credential')
        .innerJoin('backup_repositories as repository', 'repository.id', 'credential.repository_id')
        .select([
          'credential.id as credentialId',
          'credential.command_id as commandId',
          'credential.mode',
          'credential.folder',
          'credential.secret_hash as secretHash',
          'repository.id as repositoryId',
          'repository.org_id as orgId',
          'repository.device_id as deviceId',
          'repository.state',
        ])
        .where('credential.id', '=', id)
        .where('credential.expires_at', '>', isoNow(this.#clock)),
    )
    // Compared in any case, so that the duration does not tell whether there is such an id.
    const isRight = equalSecrets(row?.secretHash ?? sha256(''), sha256(secret))
    if (!row || !isRight) return null
    const { secretHash: _, state, ...caller } = row
    return { ...caller, isNew: state === 'new' }
  }
}
