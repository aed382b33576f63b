import type { z } from 'zod'
import type { restorePayload } from '../../../shared/device/backup.ts'
import type { CommandDirective } from '../../../shared/device/heartbeat.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Tasks } from '../../platform/tasks/index.ts'
import type { ResticEngines } from '../backup-engine/index.ts'
import type { RepositoryLocks } from '../backup-storage/index.ts'
import type { VaultCopies } from '../backup-vaults/index.ts'
import { type Connections, DevicePushes } from '../device-connections/index.ts'
import { mayWork } from '../devices/index.ts'
import { resticPathOf } from '../snapshot-index/index.ts'
import type { RestoreLedger } from './ledger.ts'
import { type RestoreRow, restoreById } from './store.ts'
import { targetOf } from './target-path.ts'

interface DispatchServices {
  db: Database
  clock: Clock
  tasks: Tasks
  connections: Connections
  engines: ResticEngines
  locks: RepositoryLocks
  copies: Pick<VaultCopies, 'holding'>
  ledger: RestoreLedger
}

/** Hands restores to devices over their socket. One of a repository that is being maintained waits until that is over. */
export class RestoreDispatch {
  readonly #services: DispatchServices
  readonly pushes: DevicePushes

  constructor(services: DispatchServices) {
    this.#services = services
    this.pushes = new DevicePushes(services, {
      name: 'restore.push',
      description: 'Hands waiting restores to a connected device',
      waiting: { table: 'restore_jobs', where: `status = 'pending'` },
      begin: (deviceId, id) => this.#begin(deviceId, id),
      takeBack: (id) => this.#takeBack(id),
    })
  }

  /** The repository it is from, while maintenance has that for itself. */
  heldRepository({ snapshot_id, vault_id }: Pick<RestoreRow, 'snapshot_id' | 'vault_id'>): string | null {
    const { db, locks } = this.#services
    if (vault_id !== null) return null
    const snapshot = q
      .selectFrom('backup_snapshots')
      .select('repository_id')
      .where('id', '=', snapshot_id ?? '')
    const repositoryId = db.first(snapshot)?.repository_id ?? null
    return repositoryId !== null && locks.isHeld({ repositoryId }) ? repositoryId : null
  }

  /** Tells the device to end a restore; false when it cannot be told. */
  stop(deviceId: string, restoreId: string): boolean {
    const payload = { reason: 'cancelled', jobId: restoreId }
    return this.#services.connections.send(deviceId, { id: `restore-stop-${restoreId}`, type: 'backup_stop', payload })
  }

  #begin(deviceId: string, id: string): CommandDirective | null {
    const { db, clock, ledger, locks } = this.#services
    const row = restoreById(db, id)
    if (row?.status !== 'pending' || !mayWork(db, deviceId)) return null
    const held = this.heldRepository(row)
    if (held !== null) {
      // Maintenance can go on another night; somebody waits for these files.
      db.afterCommit(() => locks.interrupt(held))
      return null
    }
    const payload = this.#payloadOf(row)
    if (payload === null) {
      ledger.finish(row, 'failed', { result: toJson({ error: 'The storage of this snapshot is turned off or gone' }) })
      return null
    }
    const now = isoNow(clock)
    ledger.change(id, { status: 'running', dispatched_at: now, started_at: now })
    ledger.lastHeard.note(id)
    return { id, type: 'backup_restore', payload }
  }

  #takeBack(id: string): void {
    const { db, ledger, engines } = this.#services
    if (restoreById(db, id)?.status !== 'running') return
    engines.close(id)
    ledger.change(id, { status: 'pending', dispatched_at: null, started_at: null })
  }

  /** Null when the storage is gone or turned off. */
  #payloadOf(row: RestoreRow): CommandDirective['payload'] | null {
    const source = this.#services.db.first(
      q
        .selectFrom('backup_snapshots as snapshot')
        .innerJoin('devices', (join) => join.on('devices.id', '=', row.device_id))
        .select(['snapshot.snapshot_id', 'snapshot.config_id', 'snapshot.device_id', 'snapshot.repository_id'])
        .select('devices.os_type')
        .where('snapshot.id', '=', row.snapshot_id ?? '')
        .where('snapshot.org_id', '=', row.org_id),
    )
    if (!source) return null
    return source.repository_id === null ? this.#publicPayload(row, source) : this.#resticPayload(row, source)
  }

  #resticPayload(row: RestoreRow, source: SnapshotSource): z.input<typeof restorePayload> | null {
    const opened = row.vault_id === null ? this.#openSource(row, source) : this.#openCopy(row, row.vault_id, source)
    if (!opened) return null
    const { expected_files: files, expected_bytes: bytes } = row
    return {
      restoreJobId: row.id,
      snapshotId: opened.snapshotId,
      paths: fromJson(row.selected_paths).map(resticPathOf),
      target: targetOf({ targetPath: row.target_path ?? undefined, inPlace: row.in_place === 1 }, source.os_type),
      existing: row.existing_files,
      expected: files === null || bytes === null ? null : { files, bytes },
      engine: opened.engine,
    }
  }

  #openCopy(row: RestoreRow, vaultId: string, source: SnapshotSource) {
    const { engines, copies } = this.#services
    const held = copies.holding(vaultId, source)
    const engine = held && engines.openCopy({ commandId: row.id, deviceId: source.device_id }, held.copy)
    return engine && { engine, snapshotId: held.snapshotId }
  }

  #openSource(row: RestoreRow, source: SnapshotSource) {
    const opened = this.#services.engines.open({
      orgId: row.org_id,
      configId: source.config_id,
      deviceId: source.device_id,
      commandId: row.id,
      mode: 'read',
      limitUploadKib: null,
    })
    return opened && { engine: opened.engine, snapshotId: source.snapshot_id }
  }

  /** The public agent chooses a folder of its own when it is told none. */
  #publicPayload(row: RestoreRow, source: SnapshotSource): CommandDirective['payload'] | null {
    const storage = this.#services.engines.openPublic(source.config_id)
    if (!storage) return null
    const { provider, providerConfig } = storage
    const targetPath = row.target_path ?? (row.in_place === 1 ? '/' : '')
    return {
      ...{ restoreJobId: row.id, commandId: row.id, snapshotId: source.snapshot_id },
      ...{ targetPath, selectedPaths: fromJson(row.selected_paths), provider, providerConfig },
    }
  }
}

interface SnapshotSource {
  snapshot_id: string
  repository_id: string | null
  config_id: string
  device_id: string
  os_type: string
}
