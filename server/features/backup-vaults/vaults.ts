import { randomUUIDv7 } from 'node:crypto'
import { resolve, sep } from 'node:path'
import type {
  createVault,
  listVaults,
  readVaultStatus,
  syncVault,
  updateVault,
  Vault,
} from '../../../shared/api/backup-vaults.ts'
import type { AuditActionOf } from '../../../shared/audit-actions/index.ts'
import { isFullPath } from '../../../shared/backup-paths.ts'
import type { BodyOf, QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import { isAbsolutePath } from '../../../shared/restore-folder.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { toJson } from '../../lib/json.ts'
import { isConfined, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError, fieldError } from '../../platform/errors.ts'
import { changedFieldsOf, changeOf } from '../../platform/updates.ts'
import { engineOf } from '../backup-engine/index.ts'
import { backupOrganization } from '../backup-storage/index.ts'
import type { Connections } from '../device-connections/index.ts'
import type { Devices } from '../devices/index.ts'
import { operableOrganization } from '../organization-access/index.ts'
import { type NamedVaultRow, statusView, vaultRows, vaultView } from './store.ts'
import type { VaultCopies } from './vault-copies.ts'
import type { VaultRuns } from './vault-runs.ts'

interface VaultServices {
  db: Database
  clock: Clock
  audit: Audit
  devices: Devices
  connections: Connections
  copies: VaultCopies
  runs: VaultRuns
  dataDir: string
}

type Wish = BodyOf<typeof createVault>

/** Second copies, as people set them up and look at them. */
export class Vaults {
  readonly #services: VaultServices

  constructor(services: VaultServices) {
    this.#services = services
  }

  list(actor: UserActor, { orgId: named, deviceId }: QueryOf<typeof listVaults>): ReplyOf<typeof listVaults> {
    const { db } = this.#services
    const orgId = backupOrganization(db, actor, named)
    let found = vaultRows()
      .where('backup_vaults.org_id', '=', orgId)
      .where(withinReach(actor, 'backup_vaults'))
      .orderBy('backup_vaults.created_at')
      .orderBy('backup_vaults.id')
    if (deviceId)
      found = found.where((where) => where.or([where('device_id', '=', deviceId), where('device_id', 'is', null)]))
    return { data: db.all(found).map((row) => this.#view(row)) }
  }

  status(actor: UserActor, id: string, named: string | undefined): ReplyOf<typeof readVaultStatus> {
    const row = this.find(actor, id, named)
    return statusView(row, this.#services.runs.progressOf(row.id))
  }

  create(actor: UserActor, wanted: Wish, named: string | undefined): Vault {
    const { db, clock } = this.#services
    return db.transaction(() => {
      const { orgId, deviceId, deviceName } = this.#ownerOf(actor, wanted, named)
      const { path, configId, name } = this.#placeOf(actor, wanted, orgId, deviceId)
      const id = randomUUIDv7()
      const now = isoNow(clock)
      db.run(
        q.insertInto('backup_vaults').values({
          id,
          org_id: orgId,
          device_id: deviceId,
          name: wanted.name ?? name,
          place: wanted.place,
          vault_path: path,
          vault_type: wanted.vaultType,
          config_id: configId,
          retention_count: wanted.retentionCount,
          schedule: wanted.schedule === null ? null : toJson(wanted.schedule),
          remind_after_days: wanted.remindAfterDays,
          created_at: now,
          updated_at: now,
        }),
      )
      const row = this.#byId(id)
      this.#record(actor, 'create', row, { place: row.place, vaultPath: row.vault_path, deviceId, deviceName })
      return this.#view(row)
    })
  }

  /** At another path nothing is known of what lies there: what is there is taken on, and else a new copy is made. */
  update(actor: UserActor, id: string, wanted: BodyOf<typeof updateVault>, named: string | undefined): Vault {
    const { db, clock, copies, runs } = this.#services
    return db.transaction(() => {
      const before = this.findToWrite(actor, id, named)
      const changedFields = changedFieldsOf(wanted)
      const { vaultPath, isActive } = wanted
      if (before.place === 'appliance' && changesPlace(before, wanted)) this.#assertAdministers(actor)
      if (vaultPath !== undefined) this.#assertPath(before.place, vaultPath)
      if (vaultPath !== undefined || isActive) this.#assertDeviceOf(actor, before)
      if (isActive && before.is_active === 0 && before.config_id !== null)
        this.#assertOnlyOne(before.config_id, before.device_id)
      const isElsewhere = vaultPath !== undefined && vaultPath !== before.vault_path
      if (isElsewhere || isActive === false) runs.stop(id)
      if (isElsewhere) copies.forget(id)
      db.run(
        q
          .updateTable('backup_vaults')
          .set({
            ...columnsOf(wanted),
            ...((isElsewhere || isActive === false) && notUnderWay),
            updated_at: isoNow(clock),
          })
          .where('id', '=', id),
      )
      const after = this.#view(this.#byId(id))
      this.#record(actor, 'update', before, changeOf(changedFields, this.#view(before), after))
      return after
    })
  }

  /** What is in it stays, and can be restored from. */
  remove(actor: UserActor, id: string, named: string | undefined): void {
    const { db, clock, runs } = this.#services
    db.transaction(() => {
      const row = this.findToWrite(actor, id, named)
      runs.stop(id)
      db.run(
        q
          .updateTable('backup_vaults')
          .set({ is_active: 0, ...notUnderWay, updated_at: isoNow(clock) })
          .where('id', '=', id),
      )
      this.#record(actor, 'delete', row)
    })
  }

  sync(
    actor: UserActor,
    id: string,
    { snapshotId }: BodyOf<typeof syncVault>,
    named: string | undefined,
  ): ReplyOf<typeof syncVault> {
    const { db, clock, runs } = this.#services
    return db.transaction(() => {
      const row = this.findToWrite(actor, id, named)
      if (row.is_active === 0) throw new AppError('backup_vault_inactive')
      if (snapshotId !== undefined) this.#assertSnapshot(row, snapshotId)
      if (row.place === 'device') this.#assertOnline(actor, row)
      db.run(
        q
          .updateTable('backup_vaults')
          .set({ requested_at: isoNow(clock), requested_snapshot_id: snapshotId ?? null })
          .where('id', '=', id),
      )
      runs.syncSoon(row)
      this.#record(actor, 'sync', row, { snapshotId: snapshotId ?? null })
      return { id: row.id, status: 'pending', deviceId: row.device_id, snapshotId: snapshotId ?? null }
    })
  }

  /** By its id, or by what restic calls it. */
  #assertSnapshot({ org_id, device_id }: NamedVaultRow, id: string): void {
    const named = q
      .selectFrom('backup_snapshots')
      .select(['device_id', 'expired_at'])
      .where('org_id', '=', org_id)
      .where((where) => where.or([where('id', '=', id), where('snapshot_id', '=', id)]))
    const found = this.#services.db.first(named)
    if (!found) throw new AppError('backup_snapshot_not_found')
    const isOfOther = device_id !== null && found.device_id !== device_id
    if (isOfOther || found.expired_at !== null) throw new AppError('backup_vault_snapshot_unfit')
  }

  /** It may have moved to another organization, of which this one commands no device. */
  #assertDeviceOf(actor: UserActor, { org_id, device_id }: NamedVaultRow): void {
    if (device_id !== null) this.#deviceIn(actor, org_id, device_id)
  }

  /** @throws AppError `device_not_found` */
  #deviceIn(actor: UserActor, orgId: string, deviceId: string) {
    const device = this.#services.devices.findOperable(actor, deviceId)
    if (device.org_id !== orgId) throw new AppError('device_not_found')
    return device
  }

  #assertOnline(actor: UserActor, { org_id, device_id }: NamedVaultRow): void {
    const { connections } = this.#services
    const device = this.#deviceIn(actor, org_id, device_id ?? '')
    if (!connections.isConnected(device.id)) throw new AppError('backup_vault_device_offline')
    if (engineOf(device.backup_version) !== 'restic') throw new AppError('backup_engine_missing')
  }

  areIn(configId: string): boolean {
    const any = q.selectFrom('backup_vaults').select('id').where('config_id', '=', configId).limit(1)
    return this.#services.db.first(any) !== undefined
  }

  /** One for all devices is of the whole organization. */
  #ownerOf(actor: UserActor, { deviceId, place }: Wish, named: string | undefined) {
    const { db, devices } = this.#services
    if (!deviceId) {
      if (place === 'device') throw new AppError('backup_vault_needs_device')
      const orgId = backupOrganization(db, actor, named)
      operableOrganization(db, actor, orgId)
      if (isConfined(actor)) throw new AppError('permission_denied')
      return { orgId, deviceId: null, deviceName: null }
    }
    const device = devices.findOperable(actor, deviceId)
    if (named !== undefined && device.org_id !== named) throw new AppError('device_not_found')
    return { orgId: device.org_id, deviceId: device.id, deviceName: device.display_name ?? device.hostname }
  }

  #placeOf(actor: UserActor, wanted: Wish, orgId: string, deviceId: string | null) {
    const { place, vaultPath, configId } = wanted
    if ((configId !== undefined) !== (place === 'storage')) throw new AppError('backup_vault_needs_storage')
    if (configId !== undefined) {
      const config = this.#storage(orgId, configId)
      this.#assertOnlyOne(configId, deviceId)
      return { path: config.name, configId, name: config.name }
    }
    if (place === 'appliance') this.#assertAdministers(actor)
    if (vaultPath === undefined) throw fieldError('vaultPath', 'The path is required')
    this.#assertPath(place, vaultPath)
    return { path: vaultPath, configId: null, name: vaultPath.slice(0, 100) }
  }

  #storage(orgId: string, configId: string) {
    const wanted = q.selectFrom('backup_configs').select(['name', 'provider']).where('id', '=', configId)
    const config = this.#services.db.first(wanted.where('org_id', '=', orgId))
    if (!config) throw new AppError('backup_config_not_found')
    if (config.provider === 'local') throw new AppError('backup_vault_storage_unfit')
    return config
  }

  /** Two would work in the same folders. */
  #assertOnlyOne(configId: string, deviceId: string | null): void {
    let others = q.selectFrom('backup_vaults').select('id').where('config_id', '=', configId).where('is_active', '=', 1)
    if (deviceId !== null)
      others = others.where((where) => where.or([where('device_id', '=', deviceId), where('device_id', 'is', null)]))
    if (this.#services.db.first(others)) throw new AppError('backup_vault_exists')
  }

  /** The appliance writes there as itself. */
  #assertAdministers({ isPlatformAdmin }: UserActor): void {
    if (!isPlatformAdmin) throw new AppError('permission_denied')
  }

  #assertPath(place: Vault['place'], path: string): void {
    if (place === 'storage') throw fieldError('vaultPath', 'A second copy in storage has no path')
    if (place === 'device') {
      if (!isFullPath(path)) throw fieldError('vaultPath', 'Must be the whole path of a folder')
      return
    }
    const below = (folder: string) => `${resolve(folder).replace(/[/\\]$/, '')}${sep}`
    const [wanted, own] = [below(path), below(this.#services.dataDir)]
    const isHere = isAbsolutePath(path, process.platform === 'win32' ? 'windows' : 'linux')
    if (!isHere || wanted.startsWith(own) || own.startsWith(wanted)) throw new AppError('backup_vault_path_unfit')
  }

  /** @throws AppError `backup_vault_not_found` */
  find(actor: UserActor, id: string, named: string | undefined): NamedVaultRow {
    const row = this.#services.db.first(this.#named(id, named).where(withinReach(actor, 'backup_vaults')))
    if (!row) throw new AppError('backup_vault_not_found')
    return row
  }

  /** Found without the reach, so that a frozen organization says so. */
  findToWrite(actor: UserActor, id: string, named: string | undefined): NamedVaultRow {
    const row = this.#services.db.first(this.#named(id, named))
    if (!row) throw new AppError('backup_vault_not_found')
    operableOrganization(this.#services.db, actor, row.org_id, 'backup_vault_not_found')
    return this.find(actor, id, named)
  }

  #named(id: string, named: string | undefined) {
    const byId = vaultRows().where('backup_vaults.id', '=', id)
    return named ? byId.where('backup_vaults.org_id', '=', named) : byId
  }

  #byId(id: string): NamedVaultRow {
    return this.#services.db.one(vaultRows().where('backup_vaults.id', '=', id))
  }

  #view(row: NamedVaultRow): Vault {
    return vaultView(row, this.#services.runs.progressOf(row.id))
  }

  #record(
    actor: UserActor,
    what: AuditActionOf<'backup.vault'>,
    row: NamedVaultRow,
    details: Record<string, unknown> = {},
  ): void {
    this.#services.audit(actor, {
      action: `backup.vault.${what}`,
      resourceType: 'backup_vault',
      resourceId: row.id,
      resourceName: row.name,
      orgId: row.org_id,
      details,
    })
  }
}

/** What the kind is decides whether a disk has to be there before anything is written. */
const changesPlace = (
  { vault_type }: NamedVaultRow,
  { vaultPath, vaultType, isActive }: BodyOf<typeof updateVault>,
): boolean => vaultPath !== undefined || (vaultType !== undefined && vaultType !== vault_type) || isActive === true

const columnsOf = (wanted: BodyOf<typeof updateVault>) => ({
  ...(wanted.name !== undefined && { name: wanted.name }),
  ...(wanted.vaultPath !== undefined && { vault_path: wanted.vaultPath }),
  ...(wanted.vaultType !== undefined && { vault_type: wanted.vaultType }),
  ...(wanted.retentionCount !== undefined && { retention_count: wanted.retentionCount }),
  ...(wanted.schedule !== undefined && { schedule: wanted.schedule === null ? null : toJson(wanted.schedule) }),
  ...(wanted.remindAfterDays !== undefined && { remind_after_days: wanted.remindAfterDays }),
  ...(wanted.isActive !== undefined && { is_active: wanted.isActive ? (1 as const) : (0 as const) }),
})

const notUnderWay = {
  last_sync_status: null,
  last_sync_error: null,
  requested_at: null,
  requested_snapshot_id: null,
  waiting_for: null,
  waiting_since: null,
} as const
