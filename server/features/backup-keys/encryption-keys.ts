import { randomUUIDv7 } from 'node:crypto'
import type {
  createEncryptionKey,
  EncryptionKey,
  listEncryptionKeys,
  rotateEncryptionKey,
} from '../../../shared/api/backup-keys.ts'
import type { AuditActionOf } from '../../../shared/audit-actions/index.ts'
import type { BodyOf, QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { isConfined, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { backupOrganization, type ManagedKeys } from '../backup-storage/index.ts'
import { operableOrganization } from '../organization-access/index.ts'
import { type KeyRow, keyRows, keyView } from './views.ts'

interface KeyServices {
  db: Database
  clock: Clock
  audit: Audit
  keys: ManagedKeys
}

interface Material {
  encryptedPrivateKey: string
  keyHash: string
  publicKeyPem?: string | undefined
}

const longestName = 200

/** The keys of an organization. What is in them leaves the appliance only on the recovery sheet. */
export class EncryptionKeys {
  readonly #services: KeyServices

  constructor(services: KeyServices) {
    this.#services = services
  }

  list(
    actor: UserActor,
    { orgId: named, includeInactive }: QueryOf<typeof listEncryptionKeys>,
  ): ReplyOf<typeof listEncryptionKeys> {
    const { db } = this.#services
    const orgId = backupOrganization(db, actor, named)
    if (isConfined(actor)) return { data: [] }
    const all = keyRows()
      .where('org_id', '=', orgId)
      .where(withinReach(actor, 'storage_encryption_keys'))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
    const rows = db.all(includeInactive ? all : all.where('is_active', '=', 1))
    return { data: rows.map(keyView) }
  }

  /** Without an organization the id says which one. */
  read(actor: UserActor, id: string, named: string | undefined): EncryptionKey {
    const row = this.#services.db.first(this.#named(id, named).where(withinReach(actor, 'storage_encryption_keys')))
    if (!row || isConfined(actor)) throw new AppError('backup_key_not_found')
    return keyView(row)
  }

  create(actor: UserActor, wanted: BodyOf<typeof createEncryptionKey>, named: string | undefined): EncryptionKey {
    const { db, keys } = this.#services
    const orgId = backupOrganization(db, actor, named)
    return db.transaction(() => {
      operableOrganization(db, actor, orgId)
      if (isConfined(actor)) throw new AppError('permission_denied')
      const material = materialOf(wanted.encryptedPrivateKey, wanted.keyHash, wanted.publicKeyPem)
      if (!material && wanted.keyType !== 'aes_256') throw new AppError('backup_key_needs_material')
      const id = material ? this.#store(orgId, wanted.name, wanted.keyType, material) : keys.make(orgId, wanted.name)
      const row = this.#byId(id)
      this.#record(actor, 'create', row, { keyType: row.key_type, isManaged: row.is_managed === 1 })
      return keyView(row)
    })
  }

  rotate(
    actor: UserActor,
    id: string,
    wanted: BodyOf<typeof rotateEncryptionKey>,
    named: string | undefined,
  ): ReplyOf<typeof rotateEncryptionKey> {
    const { db, clock, keys } = this.#services
    return db.transaction(() => {
      const before = this.#findToWrite(actor, id, named)
      if (before.is_active === 0) throw new AppError('backup_key_inactive')
      const material = materialOf(wanted.newEncryptedPrivateKey, wanted.newKeyHash, wanted.newPublicKeyPem)
      if (material && before.is_managed === 1) throw new AppError('backup_key_is_managed')
      if (!material && before.is_managed === 0) throw new AppError('backup_key_is_yours')
      const suffix = ' (rotated)'
      const name = `${before.name.slice(0, longestName - suffix.length)}${suffix}`
      const newId = material
        ? this.#store(before.org_id, name, before.key_type, material)
        : keys.make(before.org_id, name)
      const now = isoNow(clock)
      db.run(
        q
          .updateTable('storage_encryption_keys')
          .set({ is_active: 0, rotated_at: now, replaced_by: newId, updated_at: now })
          .where('id', '=', id),
      )
      this.#record(actor, 'rotate', before, { replacedBy: newId, repositories: before.repositories })
      return { previousKeyId: id, newKey: keyView(this.#byId(newId)) }
    })
  }

  deactivate(actor: UserActor, id: string, named: string | undefined): { deactivated: true } {
    const { db, clock } = this.#services
    return db.transaction(() => {
      const row = this.#findToWrite(actor, id, named)
      const snapshot = q
        .selectFrom('backup_snapshots')
        .select('id')
        .where('encryption_key_id', '=', id)
        .where('objects_deleted_at', 'is', null)
        .limit(1)
      if (row.repositories > 0 || db.first(snapshot)) throw new AppError('backup_key_referenced')
      db.run(
        q
          .updateTable('storage_encryption_keys')
          .set({ is_active: 0, updated_at: isoNow(clock) })
          .where('id', '=', id),
      )
      this.#record(actor, 'deactivate', row)
      return { deactivated: true }
    })
  }

  /** Opaque to the appliance. */
  #store(orgId: string, name: string, keyType: EncryptionKey['keyType'], material: Material): string {
    const { db, clock, keys } = this.#services
    const id = randomUUIDv7()
    const now = isoNow(clock)
    db.run(
      q.insertInto('storage_encryption_keys').values({
        id,
        org_id: orgId,
        name,
        key_type: keyType,
        public_key_pem: material.publicKeyPem ?? null,
        encrypted_private_key: keys.seal(id, material.encryptedPrivateKey),
        key_hash: material.keyHash,
        is_managed: 0,
        created_at: now,
        updated_at: now,
      }),
    )
    return id
  }

  /** Found without the reach, so that a frozen organization says so. */
  #findToWrite(actor: UserActor, id: string, named: string | undefined): KeyRow {
    const { db } = this.#services
    const row = db.first(this.#named(id, named))
    if (!row) throw new AppError('backup_key_not_found')
    operableOrganization(db, actor, row.org_id, 'backup_key_not_found')
    if (isConfined(actor)) throw new AppError('backup_key_not_found')
    return row
  }

  #named(id: string, named: string | undefined) {
    const byId = keyRows().where('id', '=', id)
    return named ? byId.where('org_id', '=', named) : byId
  }

  #byId(id: string): KeyRow {
    return this.#services.db.one(keyRows().where('id', '=', id))
  }

  #record(
    actor: UserActor,
    what: AuditActionOf<'backup.encryption_key'>,
    row: KeyRow,
    details: Record<string, unknown> = {},
  ): void {
    this.#services.audit(actor, {
      action: `backup.encryption_key.${what}`,
      resourceType: 'encryption_key',
      resourceId: row.id,
      resourceName: row.name,
      orgId: row.org_id,
      details,
    })
  }
}

/** @throws AppError `backup_key_material_incomplete` */
function materialOf(
  encryptedPrivateKey: string | undefined,
  keyHash: string | undefined,
  publicKeyPem: string | undefined,
): Material | null {
  if (encryptedPrivateKey === undefined && keyHash === undefined && publicKeyPem === undefined) return null
  if (encryptedPrivateKey === undefined || keyHash === undefined) throw new AppError('backup_key_material_incomplete')
  return { encryptedPrivateKey, keyHash, publicKeyPem }
}
