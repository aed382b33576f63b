import { setImmediate } from 'node:timers/promises'
import { absenceOf } from '../../../shared/node/copy-medium.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson } from '../../lib/json.ts'
import { inPieces } from '../../lib/pieces.ts'
import { type Clock, hour, iso, isoNow, minute } from '../../platform/clock.ts'
import type { Attention } from '../backup-attention/index.ts'
import { latestOccurrence, timeZoneOfOrganization } from '../backup-policies/index.ts'
import type { RepositoryRow } from '../backup-storage/index.ts'
import type { Connections } from '../device-connections/index.ts'
import { mayWork } from '../devices/index.ts'
import { frozenBecause } from '../organization-access/index.ts'
import { activeVaults } from './store.ts'
import type { VaultCopies, VaultRow } from './vault-copies.ts'
import type { VaultRuns } from './vault-runs.ts'

interface WatchServices {
  db: Database
  clock: Clock
  connections: Connections
  copies: VaultCopies
  runs: VaultRuns
  attention: Attention
  dataDir: string
}

/** A sync of which nothing is heard for so long has failed. */
const silenceMs = 2 * hour
/** What failed is tried again after this; a device is asked whether its disk is there every so often. */
const triedEveryMs = hour
const askedEveryMs = 10 * minute

interface Concern {
  deviceId: string
  orgId: string
  /** Names of second copies. */
  late: string | null
  failed: string | null
}

/** Devices of which something is or was wrong. */
const concerns = `SELECT device.id AS deviceId, device.org_id AS orgId,
    (SELECT max(vault.name) FROM backup_vault_repositories AS copy JOIN backup_vaults AS vault ON vault.id = copy.vault_id
     WHERE copy.device_id = device.id AND vault.is_active = 1 AND copy.late_since IS NOT NULL) AS late,
    (SELECT max(vault.name) FROM backup_vault_repositories AS copy JOIN backup_vaults AS vault ON vault.id = copy.vault_id
     WHERE copy.device_id = device.id AND vault.is_active = 1
       AND (copy.error IS NOT NULL OR copy.damage IS NOT NULL)) AS failed
  FROM devices AS device WHERE device.status <> 'decommissioned' AND device.id IN (
    SELECT device_id FROM backup_vault_repositories WHERE late_since IS NOT NULL OR error IS NOT NULL OR damage IS NOT NULL
    UNION SELECT device_id FROM backup_attention WHERE resolved_at IS NULL AND kind IN ('copy_late', 'copy_failed'))`

/** Finds out which second copies are due, whose disk is there, and which are late. */
export class VaultWatch {
  readonly #services: WatchServices

  constructor(services: WatchServices) {
    this.#services = services
  }

  /** Joins the transaction in which a snapshot is recorded. */
  noteMade({ id, orgId }: { id: string; orgId: string }): void {
    const { db, copies, runs } = this.#services
    const source = db.first(
      q
        .selectFrom('backup_repositories')
        .innerJoin('backup_snapshots', 'backup_snapshots.repository_id', 'backup_repositories.id')
        .selectAll('backup_repositories')
        .where('backup_snapshots.id', '=', id),
    )
    if (!source) return
    for (const vault of this.#activeFor(orgId, source)) {
      copies.lookAt(vault, source)
      if (vault.schedule === null && vault.waiting_for === null && vault.place !== 'appliance') runs.syncSoon(vault)
    }
  }

  /** Each minute: begins what is due, and ends what is silent. */
  async run(signal: AbortSignal): Promise<void> {
    const { db } = this.#services
    const vaults = db.all(activeVaults())
    const due: VaultRow[] = []
    await inPieces(signal, (maxRows) => {
      const some = vaults.splice(0, maxRows)
      due.push(...some.filter((vault) => this.#isDue(vault)))
      return some.length
    })
    for (const vault of due) {
      signal.throwIfAborted()
      await this.#begin(vault)
      await setImmediate()
    }
    this.#endSilent()
  }

  /** A device has a connection again, and may have a disk. */
  connected(deviceId: string): void {
    const { db, runs } = this.#services
    const waiting = activeVaults()
      .where('device_id', '=', deviceId)
      .where('place', '=', 'device')
      .where('waiting_for', 'is not', null)
    db.transaction(() => {
      for (const vault of db.all(waiting)) runs.syncSoon(vault)
    })
  }

  /** Looks at everything anew: policies, holds and the clock change what is missing, and what is late. */
  async lookAtAll(signal: AbortSignal): Promise<void> {
    const { db, copies } = this.#services
    for (const vault of db.all(activeVaults())) await copies.lookAtAll(vault, signal)
    await this.settle(signal)
  }

  /** Says of devices whose second copies are late or have failed, and of those where that is over. */
  async settle(signal: AbortSignal): Promise<void> {
    const { db } = this.#services
    const devices = db.statement<Concern>(concerns).all()
    await inPieces(signal, (maxRows) => {
      const some = devices.splice(0, Math.min(maxRows, 50))
      db.transaction(() => {
        for (const one of some) this.#settleOne(one)
      })
      return some.length
    })
  }

  #settleOne({ deviceId, orgId, late, failed }: Concern): void {
    const { attention } = this.#services
    const open = attention.openOf(deviceId)
    for (const [kind, vaultName] of [
      ['copy_late', late],
      ['copy_failed', failed],
    ] as const) {
      const row = open.find((one) => one.kind === kind)
      if (vaultName !== null) attention.open({ id: deviceId, orgId }, kind, { vaultName })
      else if (row) attention.resolve(row)
    }
  }

  /** It leaves the organization, or service. Joins the transaction. */
  turnOffOf(deviceId: string): void {
    const { db, clock, runs } = this.#services
    const own = q.selectFrom('backup_vaults').select('id').where('device_id', '=', deviceId).where('is_active', '=', 1)
    for (const { id } of db.all(own)) {
      runs.stop(id)
      const off = { is_active: 0, waiting_for: null, waiting_since: null, updated_at: isoNow(clock) } as const
      db.run(q.updateTable('backup_vaults').set(off).where('id', '=', id))
    }
  }

  #activeFor(orgId: string, { device_id, config_id }: RepositoryRow): VaultRow[] {
    return this.#services.db.all(
      activeVaults()
        .where('org_id', '=', orgId)
        .where((where) => where.or([where('device_id', '=', device_id), where('device_id', 'is', null)]))
        .where((where) => where.or([where('config_id', 'is', null), where('config_id', '<>', config_id)])),
    )
  }

  #isDue(vault: VaultRow): boolean {
    const { db, clock } = this.#services
    const { last_sync_status: status } = vault
    const org = db.first(q.selectFrom('organizations').select(['id', 'status']).where('id', '=', vault.org_id))
    if (!org || frozenBecause(db, org) !== null) return false
    const begunAt = vault.begun_at === null ? Number.NEGATIVE_INFINITY : Date.parse(vault.begun_at)
    if (status === 'failed' && clock.now() - begunAt < triedEveryMs) return false
    if (status === 'running') return false
    if (vault.requested_at !== null) return true
    if (!this.#hasWork(vault.id, clock.now() - begunAt >= triedEveryMs)) return false
    if (vault.schedule === null || vault.waiting_for !== null) return true
    const schedule = fromJson(vault.schedule)
    const zone = schedule.timezone ?? timeZoneOfOrganization(db, vault.org_id)
    const due = latestOccurrence(schedule, zone, clock.now())
    return due !== null && due.at > Math.max(begunAt, Date.parse(vault.created_at))
  }

  async #begin(vault: VaultRow): Promise<void> {
    const { db, clock, connections, runs, dataDir } = this.#services
    if (vault.place === 'device') {
      const deviceId = vault.device_id ?? ''
      if (!connections.isConnected(deviceId) || !mayWork(db, deviceId)) return this.#wait(vault, 'device')
      const isAskedLately = vault.begun_at !== null && Date.parse(vault.begun_at) > clock.now() - askedEveryMs
      if (vault.waiting_for === 'medium' && isAskedLately) return
    }
    if (vault.place === 'appliance' && (await absenceOf(vault.vault_path, vault.vault_type, dataDir)) !== null)
      return this.#wait(vault, 'medium')
    db.transaction(() => runs.syncSoon(vault))
  }

  #wait(vault: VaultRow, what: 'medium' | 'device'): void {
    const { db, runs } = this.#services
    db.transaction(() => runs.waitFor(vault, what))
  }

  /** Something is missing, or a key is to change; or something has failed, and may succeed now. */
  #hasWork(vaultId: string, isRetryDue: boolean): boolean {
    const { db } = this.#services
    return (
      db
        .statement<0 | 1>(
          `SELECT EXISTS (SELECT 1 FROM backup_vault_repositories INDEXED BY backup_vault_repositories_due
              WHERE vault_id = @vaultId AND missing > 0)
            OR EXISTS (SELECT 1 FROM backup_vault_repositories AS copy
              JOIN storage_encryption_keys AS key ON key.id = copy.key_id
              WHERE copy.vault_id = @vaultId AND copy.state = 'ready'
                AND (key.is_active = 0 OR copy.former_key_id IS NOT NULL))
            OR @isRetryDue AND EXISTS (SELECT 1 FROM backup_vault_repositories
              WHERE vault_id = @vaultId AND error IS NOT NULL)`,
        )
        .pluck()
        .get({ vaultId, isRetryDue: isRetryDue ? 1 : 0 }) === 1
    )
  }

  #endSilent(): void {
    const { db, clock, runs } = this.#services
    const silent = q
      .selectFrom('backup_vaults')
      .select('id')
      .where('last_sync_status', 'in', ['pending', 'running'])
      .where('waiting_for', 'is', null)
      .where('heard_at', '<', iso(clock.now() - silenceMs))
    for (const { id } of db.all(silent)) {
      if (runs.isQueued(id)) continue
      db.transaction(() => {
        runs.stop(id)
        const failed = { last_sync_status: 'failed', last_sync_error: 'Vault sync timed out' } as const
        const forgotten = { requested_at: null, requested_snapshot_id: null, updated_at: isoNow(clock) }
        db.run(
          q
            .updateTable('backup_vaults')
            .set({ ...failed, ...forgotten })
            .where('id', '=', id),
        )
      })
    }
  }
}
