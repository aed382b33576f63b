import { randomUUIDv7 } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { BackupMode } from '../../../shared/backup-plan.ts'
import { maxOthers } from '../../../shared/device/backup-vaults.ts'
import type { CopyOutcome, CopyWish } from '../../../shared/node/restic-copy.ts'
import { withoutCredentials } from '../../../shared/node/restic-refusals.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../lib/pieces.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, day, iso, isoNow } from '../../platform/clock.ts'
import type { EngineCopy } from '../backup-engine/index.ts'
import { folderNameOf, type ManagedKeys, type RepositoryRow } from '../backup-storage/index.ts'
import { isBeforeUnusualChange } from '../unusual-changes/index.ts'
import type { BackupVaultRepositoryTable, BackupVaultTable } from './tables.ts'

export type VaultRow = Selectable<BackupVaultTable>
export type CopyRow = Selectable<BackupVaultRepositoryTable>

interface CopyServices {
  db: Database
  clock: Clock
  audit: Audit
  keys: ManagedKeys
}

interface SnapshotInRepository {
  snapshot_id: string
  repository_id: string | null
}

export interface HeldCopy {
  /** As restic names it there. */
  snapshotId: string
  copy: EngineCopy
}

/** A snapshot that a vault should have. */
interface Wanted {
  snapshotId: string
  mode: BackupMode
  takenAt: string
}

interface Held extends Wanted {
  copyId: string
  isProtected: 0 | 1
}

/** The newest of each kind, as many as the vault keeps, that it does not have yet; the oldest first. */
const missing = `SELECT snapshot_id AS snapshotId, backup_mode AS mode, timestamp AS takenAt FROM (
    SELECT snapshot_id, backup_mode, timestamp,
      row_number() OVER (PARTITION BY backup_mode ORDER BY timestamp DESC, id DESC) AS place
    FROM backup_snapshots
    WHERE repository_id = @repositoryId AND expired_at IS NULL AND objects_deleted_at IS NULL) AS wanted
  WHERE place <= @most AND length(wanted.snapshot_id) = 64 AND NOT EXISTS (
    SELECT 1 FROM backup_vault_snapshots AS copied
    WHERE copied.vault_repository_id = @copyId AND copied.snapshot_id = wanted.snapshot_id)
  ORDER BY takenAt`

const copiedBeforeUnusualChange = isBeforeUnusualChange({
  ...{ device: 'source.device_id', config: 'source.config_id' },
  ...{ mode: 'copied.backup_mode', takenAt: 'copied.taken_at' },
})

/** What is on legal hold or locked, or was there before an unusual change that nobody has called expected, stays in the vault as well. */
const held = `SELECT copied.snapshot_id AS snapshotId, copied.copy_id AS copyId, copied.backup_mode AS mode,
    copied.taken_at AS takenAt,
    EXISTS (SELECT 1 FROM backup_snapshots AS snapshot
      WHERE snapshot.repository_id = @repositoryId AND snapshot.snapshot_id = copied.snapshot_id
        AND (snapshot.legal_hold = 1 OR snapshot.is_immutable = 1 AND snapshot.immutable_until > @now))
    OR ${copiedBeforeUnusualChange} AS isProtected
  FROM backup_vault_snapshots AS copied JOIN backup_repositories AS source ON source.id = @repositoryId
  WHERE copied.vault_repository_id = @copyId`

/** Those whose copies a vault has or should have. */
const sources = `SELECT repository.* FROM backup_repositories AS repository
  WHERE repository.org_id = @orgId AND repository.state = 'ready' AND repository.id > @after
    AND (@deviceId IS NULL OR repository.device_id = @deviceId)
    AND (@configId IS NULL OR repository.config_id <> @configId)
  ORDER BY repository.id LIMIT @maxRows`

const actor = systemActor('backup.sync-copies')
const differs = 'The copy of a backup did not have the same files and was removed. It is made again'
const readEveryMs = 7 * day
/** One at a time is read back, so that after as many times all of a copy was read. */
const partsOfCopy = 20
/** A part of so little is next to nothing. */
const readWholeUpTo = 2 ** 30

/** What vaults have of which repositories, and what they should have. */
export class VaultCopies {
  readonly #services: CopyServices

  constructor(services: CopyServices) {
    this.#services = services
  }

  find(id: string): CopyRow | undefined {
    return this.#services.db.first(q.selectFrom('backup_vault_repositories').selectAll().where('id', '=', id))
  }

  of(vaultId: string): CopyRow[] {
    const all = q.selectFrom('backup_vault_repositories').selectAll().where('vault_id', '=', vaultId)
    return this.#services.db.all(all.orderBy('id'))
  }

  /** What shows that a disk is that of the vault, as long as this copy is new: itself if it was begun, or the newest others. */
  foldersBeside({ vault_id, state, folder, is_begun }: CopyRow): string[] {
    if (state !== 'new') return []
    if (is_begun === 1) return [folder]
    const made = q.selectFrom('backup_vault_repositories').select('folder').where('vault_id', '=', vault_id)
    const newest = made.where('state', '=', 'ready').orderBy('last_sync_at', 'desc').orderBy('id').limit(maxOthers)
    return this.#services.db.all(newest).map(({ folder }) => folder)
  }

  /** Looks at all repositories that the vault is for. */
  async lookAtAll(vault: VaultRow, signal: AbortSignal, seen: (copy: CopyRow) => void = () => {}): Promise<void> {
    const { db } = this.#services
    let after = ''
    await inPieces(signal, (maxRows) =>
      db.transaction(() => {
        const { org_id: orgId, device_id: deviceId, config_id: configId } = vault
        const rows = db
          .statement<RepositoryRow>(sources)
          .all({ orgId, deviceId, configId, after, maxRows: Math.min(maxRows, 100) })
        for (const row of rows) seen(this.lookAt(vault, row))
        after = rows.at(-1)?.id ?? after
        return rows.length
      }),
    )
  }

  /** How much of the repository is missing in the vault, and since when that is late. Joins the transaction under way. */
  lookAt(vault: VaultRow, source: RepositoryRow): CopyRow {
    const { db, clock } = this.#services
    const copy = this.#ensure(vault, source)
    const found = this.#missing(vault, copy)
    const since = Date.parse(copy.last_sync_at ?? vault.created_at)
    const oldest = found[0] ? Math.max(since, Date.parse(found[0].takenAt)) : null
    const lateFrom = vault.remind_after_days !== null && oldest !== null ? oldest + vault.remind_after_days * day : null
    const lateSince = lateFrom !== null && lateFrom <= clock.now() ? iso(lateFrom) : null
    if (copy.missing === found.length && copy.late_since === lateSince) return copy
    const changed = { missing: found.length, late_since: lateSince, updated_at: isoNow(clock) }
    db.run(q.updateTable('backup_vault_repositories').set(changed).where('id', '=', copy.id))
    return { ...copy, ...changed }
  }

  /** The copy of a snapshot in a vault, with its id there; null when the vault does not have it. */
  holding(vaultId: string, { snapshot_id, repository_id }: SnapshotInRepository): HeldCopy | null {
    const { db } = this.#services
    const vault = db.first(q.selectFrom('backup_vaults').selectAll().where('id', '=', vaultId))
    const held = db.first(
      q
        .selectFrom('backup_vault_snapshots as copied')
        .innerJoin('backup_vault_repositories as copy', 'copy.id', 'copied.vault_repository_id')
        .selectAll('copy')
        .select('copied.copy_id')
        .where('copy.vault_id', '=', vaultId)
        .where('copy.repository_id', '=', repository_id)
        .where('copied.snapshot_id', '=', snapshot_id),
    )
    if (!vault || !held) return null
    const { repository_id: repositoryId, key_id: keyId, folder } = held
    const at =
      vault.config_id === null
        ? { path: vault.vault_path, reachedBy: vault.place === 'device' ? ('device' as const) : ('appliance' as const) }
        : { configId: vault.config_id, subPath: held.sub_path }
    return { snapshotId: held.copy_id, copy: { repositoryId, keyId, folder, at } }
  }

  /** Ids of snapshots in the copy, with those in the repository. */
  pairsIn(copyId: string): Map<string, string> {
    const all = q.selectFrom('backup_vault_snapshots').select(['copy_id', 'snapshot_id'])
    const rows = this.#services.db.all(all.where('vault_repository_id', '=', copyId).orderBy('taken_at', 'desc'))
    return new Map(rows.map(({ copy_id, snapshot_id }) => [copy_id, snapshot_id]))
  }

  /** The repository has the snapshot under another id now. Joins the transaction under way. */
  rename(repositoryId: string, snapshotId: string, newId: string): void {
    const { db } = this.#services
    const ofRepository = q
      .selectFrom('backup_vault_repositories')
      .select('id')
      .where('repository_id', '=', repositoryId)
    db.run(
      q
        .updateTable('backup_vault_snapshots')
        .set({ snapshot_id: newId })
        .where('snapshot_id', '=', snapshotId)
        .where('vault_repository_id', 'in', ofRepository),
    )
    db.run(
      q
        .updateTable('backup_vaults')
        .set({ last_sync_snapshot_id: newId })
        .where('last_sync_snapshot_id', '=', snapshotId),
    )
  }

  /** What is to be done now. A copy that was never seen gets the key of today. */
  wishFor(vault: VaultRow, copy: CopyRow, only: string | null): CopyWish {
    const { db, clock } = this.#services
    const wanted = only === null ? this.#missing(vault, copy) : this.#named(copy, only)
    const there = db
      .statement<Held>(held)
      .all({ repositoryId: copy.repository_id, copyId: copy.id, now: isoNow(clock) })
    return {
      isNew: copy.state === 'new',
      resticId: copy.restic_id,
      copy: wanted.map(({ snapshotId }) => snapshotId),
      forget: surplus(there, wanted, vault.retention_count),
      readBack: this.#isReadDue(vault, copy) ? partToRead(copy) : null,
    }
  }

  /** Who asks for a copy that is damaged wants to know whether it still is. */
  #isReadDue({ requested_at }: VaultRow, { checked_at, damage }: CopyRow): boolean {
    if (checked_at === null || (damage !== null && requested_at !== null)) return true
    return Date.parse(checked_at) <= this.#services.clock.now() - readEveryMs
  }

  /** The key that opens it from now on, noted; null when its own is to stay. */
  beginKeyChange(copy: CopyRow): string | null {
    const { db, clock, keys } = this.#services
    return db.transaction(() => {
      const own = db.one(q.selectFrom('storage_encryption_keys').select('is_active').where('id', '=', copy.key_id))
      if (own.is_active === 1) return null
      const next = keys.current(copy.org_id)
      const now = isoNow(clock)
      // What was never made is made with the new one.
      const change =
        copy.state === 'new' ? { key_id: next, next_key_id: null, former_key_id: null } : { next_key_id: next }
      db.run(
        q
          .updateTable('backup_vault_repositories')
          .set({ ...change, updated_at: now })
          .where('id', '=', copy.id),
      )
      return copy.state === 'new' ? null : next
    })
  }

  /** What was found in it in the end; answers what is known of it then. */
  save(vault: VaultRow, before: CopyRow, wish: CopyWish, outcome: CopyOutcome): CopyRow | undefined {
    const { db, clock, audit } = this.#services
    return db.transaction(() => {
      const copy = this.find(before.id)
      if (!copy) return undefined
      const now = isoNow(clock)
      const changesKey = copy.next_key_id !== null && copy.next_key_id === before.next_key_id
      db.run(
        q
          .updateTable('backup_vault_repositories')
          .set({
            state: 'ready',
            restic_id: outcome.resticId,
            last_sync_at: now,
            error: outcome.manifests.every(({ isSame }) => isSame) ? null : differs,
            ...(outcome.storedBytes !== null && { stored_bytes: Math.round(outcome.storedBytes) }),
            ...(outcome.wasRead && { checked_at: now, ...readColumns(wish, outcome) }),
            ...(before.former_key_id !== null && { former_key_id: null }),
            ...(changesKey && { key_id: copy.next_key_id as string, next_key_id: null, former_key_id: copy.key_id }),
            updated_at: now,
          })
          .where('id', '=', copy.id),
      )
      this.#replaceInventory(copy, outcome, now)
      const source = this.#sourceOf(copy)
      if (source) this.lookAt(vault, source)
      if (changesKey)
        audit(actor, {
          action: 'backup.vault.change_key',
          resourceType: 'backup_vault',
          resourceId: vault.id,
          resourceName: vault.name,
          orgId: copy.org_id,
          details: { deviceId: copy.device_id, keyId: copy.next_key_id, previousKeyId: copy.key_id },
        })
      return this.find(copy.id)
    })
  }

  /** Its disk was pulled out while it was made. */
  noteBegun({ id }: CopyRow): void {
    const { db, clock } = this.#services
    db.run(
      q
        .updateTable('backup_vault_repositories')
        .set({ is_begun: 1, updated_at: isoNow(clock) })
        .where('id', '=', id),
    )
  }

  fail({ id }: CopyRow, error: string): void {
    const { db, clock } = this.#services
    db.run(
      q
        .updateTable('backup_vault_repositories')
        .set({ error, updated_at: isoNow(clock) })
        .where('id', '=', id),
    )
  }

  /** Nothing is known any more of what lies at the place. Joins the transaction under way. */
  forget(vaultId: string): void {
    this.#services.db.run(q.deleteFrom('backup_vault_repositories').where('vault_id', '=', vaultId))
  }

  #ensure(vault: VaultRow, source: RepositoryRow): CopyRow {
    const { db, clock } = this.#services
    const existing = q
      .selectFrom('backup_vault_repositories')
      .selectAll()
      .where('vault_id', '=', vault.id)
      .where('repository_id', '=', source.id)
    const found = db.first(existing)
    if (found) return found
    const now = isoNow(clock)
    db.run(
      q.insertInto('backup_vault_repositories').values({
        id: randomUUIDv7(),
        vault_id: vault.id,
        org_id: source.org_id,
        device_id: source.device_id,
        repository_id: source.id,
        folder: folderNameOf(source),
        sub_path: `${source.org_id}/copies/${folderNameOf(source)}`,
        key_id: source.key_id,
        created_at: now,
        updated_at: now,
      }),
    )
    return db.one(existing)
  }

  #missing({ retention_count: most }: VaultRow, { id: copyId, repository_id: repositoryId }: CopyRow): Wanted[] {
    return this.#services.db.statement<Wanted>(missing).all({ copyId, repositoryId, most })
  }

  /** One snapshot, by its id or by what restic calls it. */
  #named({ repository_id }: CopyRow, id: string): Wanted[] {
    const found = q
      .selectFrom('backup_snapshots')
      .select(['snapshot_id as snapshotId', 'backup_mode as mode', 'timestamp as takenAt'])
      .where('repository_id', '=', repository_id)
      .where('expired_at', 'is', null)
      .where((where) => where.or([where('id', '=', id), where('snapshot_id', '=', id)]))
    return this.#services.db.all(found).filter(({ snapshotId }) => snapshotId.length === 64)
  }

  #sourceOf({ repository_id }: CopyRow): RepositoryRow | undefined {
    return this.#services.db.first(q.selectFrom('backup_repositories').selectAll().where('id', '=', repository_id))
  }

  #replaceInventory(copy: CopyRow, { snapshots, manifests }: CopyOutcome, now: string): void {
    const { db } = this.#services
    const known = new Map(
      db
        .all(q.selectFrom('backup_vault_snapshots').selectAll().where('vault_repository_id', '=', copy.id))
        .map((row) => [row.copy_id, row]),
    )
    db.run(q.deleteFrom('backup_vault_snapshots').where('vault_repository_id', '=', copy.id))
    for (const { id, original, takenAt } of snapshots) {
      const before = known.get(id)
      const snapshotId = before?.snapshot_id ?? original
      const manifest = manifests.find((one) => one.snapshotId === snapshotId)
      // It is still missing: nobody is to restore from it.
      if (manifest?.isSame === false) continue
      const listed = this.#listed(copy.repository_id, snapshotId)
      db.run(
        q
          .insertInto('backup_vault_snapshots')
          .values({
            id: before?.id ?? randomUUIDv7(),
            vault_repository_id: copy.id,
            snapshot_id: snapshotId,
            copy_id: id,
            backup_mode: before?.backup_mode ?? listed?.backup_mode ?? 'file',
            taken_at: before?.taken_at ?? listed?.timestamp ?? takenAt,
            synced_at: before?.synced_at ?? now,
            size_bytes: manifest?.bytes ?? before?.size_bytes ?? null,
            file_count: manifest?.files ?? before?.file_count ?? null,
            manifest_verified: (manifest?.isSame ?? before?.manifest_verified === 1) ? 1 : 0,
          })
          .onConflict((conflict) => conflict.columns(['vault_repository_id', 'snapshot_id']).doNothing()),
      )
    }
  }

  #listed(repositoryId: string, snapshotId: string) {
    return this.#services.db.first(
      q
        .selectFrom('backup_snapshots')
        .select(['backup_mode', 'timestamp'])
        .where('repository_id', '=', repositoryId)
        .where('snapshot_id', '=', snapshotId),
    )
  }
}

/** What is known to be damaged is read as a whole: the damage may lie in any part. */
function partToRead({ damage, stored_bytes, read_part }: CopyRow): string {
  const isSmall = stored_bytes !== null && stored_bytes <= readWholeUpTo
  return damage !== null || isSmall ? 'all' : `${(read_part % partsOfCopy) + 1}/${partsOfCopy}`
}

/** Of what restic says. */
const maxDamage = 10_000

/** One part that is good says nothing of damage in another. */
function readColumns({ readBack }: CopyWish, { damage }: CopyOutcome) {
  const part = Number(readBack?.split('/')[0])
  return {
    ...((damage !== null || readBack === 'all') && {
      damage: damage && withoutCredentials(damage).slice(0, maxDamage),
    }),
    ...(Number.isInteger(part) && { read_part: part }),
  }
}

/** Ids in the copy of those that are of each kind beyond the newest, counting what comes now; that itself stays. */
function surplus(there: readonly Held[], coming: readonly Wanted[], most: number): string[] {
  const staying = new Set(coming.map(({ snapshotId }) => snapshotId))
  const all = Map.groupBy<string, Wanted & Partial<Held>>([...there, ...coming], ({ mode }) => mode)
  return [...all.values()].flatMap((ofMode) =>
    ofMode
      .toSorted((one, other) => Date.parse(other.takenAt) - Date.parse(one.takenAt))
      .slice(most)
      .flatMap(({ snapshotId, copyId, isProtected }) =>
        copyId === undefined || isProtected === 1 || staying.has(snapshotId) ? [] : [copyId],
      ),
  )
}
