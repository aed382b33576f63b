import { toDataURL } from 'qrcode'
import type { EncryptionKey, RecoverySheet } from '../../../shared/api/backup-keys.ts'
import { withoutCredentials } from '../../../shared/node/restic-refusals.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { isConfined, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import {
  type BackupConfigs,
  backupOrganization,
  folderNameOf,
  hashOfKey,
  isRecoveryKey,
  type ManagedKeys,
  providers,
  type Repositories,
  type RepositoryRow,
} from '../backup-storage/index.ts'
import { operableOrganization } from '../organization-access/index.ts'
import { keyRows, keyView } from './views.ts'

interface SheetServices {
  db: Database
  clock: Clock
  audit: Audit
  configs: BackupConfigs
  keys: ManagedKeys
  repositories: Repositories
}

const mostRepositories = 500
const checkDigits = 8

/** What opens the backups of an organization without the appliance, for paper. */
export class RecoverySheets {
  readonly #services: SheetServices

  constructor(services: SheetServices) {
    this.#services = services
  }

  async open(actor: UserActor, named: string | undefined): Promise<RecoverySheet> {
    const { db, audit } = this.#services
    const found = db.transaction(() => {
      const { id: orgId, name } = this.#organization(actor, named)
      const keys = this.#keys(orgId)
      audit(actor, {
        action: 'backup.recovery_sheet.create',
        resourceType: 'organization',
        resourceId: orgId,
        resourceName: name,
        orgId,
        details: { keyIds: keys.map(({ id }) => id) },
      })
      return { name, keys, ...this.#places(actor, orgId) }
    })
    const { name, keys, ...places } = found
    return {
      organization: name,
      madeAt: isoNow(this.#services.clock),
      keys: await Promise.all(
        keys.map(async ({ material, ...key }) => ({
          ...key,
          key: material,
          check: hashOfKey(material).slice(0, checkDigits),
          // Capitals and digits alone make a smaller picture.
          qr: await toDataURL(material.toUpperCase(), { margin: 1, width: 240 }),
        })),
      ),
      ...places,
    }
  }

  confirm(actor: UserActor, keyIds: readonly string[], named: string | undefined): EncryptionKey[] {
    const { db, clock, audit } = this.#services
    return db.transaction(() => {
      const { id: orgId, name } = this.#organization(actor, named)
      const ofOrganization = keyRows().where('org_id', '=', orgId).where('is_managed', '=', 1)
      const known = ofOrganization.where('id', 'in', keyIds)
      if (db.all(known).length !== new Set(keyIds).size) throw new AppError('backup_key_not_found')
      const now = isoNow(clock)
      db.run(
        q
          .updateTable('storage_encryption_keys')
          .set({ locked_away_at: now, updated_at: now })
          .where('org_id', '=', orgId)
          .where('id', 'in', keyIds),
      )
      audit(actor, {
        action: 'backup.recovery_sheet.confirm',
        resourceType: 'organization',
        resourceId: orgId,
        resourceName: name,
        orgId,
        details: { keyIds },
      })
      return db.all(known).map(keyView)
    })
  }

  #organization(actor: UserActor, named: string | undefined) {
    const { db } = this.#services
    const organization = operableOrganization(db, actor, backupOrganization(db, actor, named))
    if (isConfined(actor)) throw new AppError('permission_denied')
    return organization
  }

  /** Those that open something, and that of new repositories. */
  #keys(orgId: string) {
    const { db, keys } = this.#services
    const rows = db.all(
      keyRows()
        .where('org_id', '=', orgId)
        .where('is_managed', '=', 1)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc'),
    )
    return rows
      .filter((row) => row.is_active === 1 || row.repositories > 0)
      .map(({ id, name, created_at }) => ({ id, name, createdAt: created_at, material: keys.materialOf(id) }))
      .filter(({ material }) => isRecoveryKey(material))
  }

  #secondCopies(actor: UserActor, orgId: string): RecoverySheet['secondCopies'] {
    const { db, configs } = this.#services
    const rows = db.all(
      q
        .selectFrom('backup_vaults')
        .leftJoin('devices', 'devices.id', 'backup_vaults.device_id')
        .select(['backup_vaults.id', 'name', 'place', 'vault_path', 'config_id', 'hostname', 'display_name'])
        .where('backup_vaults.org_id', '=', orgId)
        .where(withinReach(actor, 'backup_vaults'))
        .orderBy('backup_vaults.created_at')
        .limit(mostRepositories),
    )
    const folders = this.#foldersOf('backup_vault_repositories', 'vault_id', orgId)
    return rows.flatMap(({ id, name, place, vault_path, config_id, hostname, display_name }) => {
      const where = place === 'appliance' ? 'at the appliance' : `on ${display_name ?? hostname}`
      if (config_id === null) return [{ id, name, place: `${vault_path}/FOLDER ${where}` }]
      const all = [`${orgId}/copies/`, ...(folders.get(id) ?? [])]
      return placesIn(configs, config_id, all).map((place) => ({ id, name, place }))
    })
  }

  /** In which repositories lie, by what they are in: after a merge also what was made for another organization. */
  #foldersOf(
    table: 'backup_repositories' | 'backup_vault_repositories',
    of: 'config_id' | 'vault_id',
    orgId: string,
  ): Map<string, string[]> {
    const rows = this.#services.db
      .statement<{ id: string; folder: string }>(
        `SELECT DISTINCT ${of} AS id, rtrim(sub_path, replace(sub_path, '/', '')) AS folder
         FROM ${table} WHERE org_id = ? ORDER BY 1, 2`,
      )
      .all(orgId)
    return new Map([...Map.groupBy(rows, ({ id }) => id)].map(([id, own]) => [id, own.map(({ folder }) => folder)]))
  }

  #places(actor: UserActor, orgId: string) {
    const { db, configs, repositories } = this.#services
    const storages = db.all(
      q.selectFrom('backup_configs').select(['id', 'name', 'provider']).where('org_id', '=', orgId),
    )
    const seen = q
      .selectFrom('backup_repositories')
      .innerJoin('devices', 'devices.id', 'backup_repositories.device_id')
      .where('backup_repositories.org_id', '=', orgId)
      .where(withinReach(actor, 'backup_repositories'))
    const named = seen
      .selectAll('backup_repositories')
      .select(['hostname', 'display_name'])
      .orderBy('hostname')
      .orderBy('backup_repositories.id')
    const placed = (row: RepositoryRow & { hostname: string; display_name: string | null }) => ({
      row,
      deviceName: row.display_name ?? row.hostname,
      folder: folderNameOf(row),
    })
    const rows = db.all(named.limit(mostRepositories)).map(placed)
    // All of them: nothing else opens these.
    const older = this.#keysOfOneRepository(orgId)
    const folders = this.#foldersOf('backup_repositories', 'config_id', orgId)
    const withOlderKeys = older.length === 0 ? [] : db.all(named.where('key_id', 'in', older)).map(placed)
    return {
      storages: storages.flatMap((storage) =>
        placesIn(configs, storage.id, [`${orgId}/`, ...(folders.get(storage.id) ?? [])]).map((place) => ({
          ...storage,
          place,
        })),
      ),
      secondCopies: this.#secondCopies(actor, orgId),
      repositories: rows.map(({ row, deviceName, folder }) => ({ deviceName, configId: row.config_id, folder })),
      repositoryCount: db.one(seen.select((select) => select.fn.countAll<number>().as('rows'))).rows,
      passwords: withOlderKeys.map(({ row, deviceName, folder }) => ({
        ...{ deviceName, folder },
        password: repositories.passwordOf(row),
      })),
    }
  }

  /** As they were before one key opened all repositories of an organization. */
  #keysOfOneRepository(orgId: string): string[] {
    const { db, keys } = this.#services
    const rows = db.all(
      q
        .selectFrom('storage_encryption_keys')
        .select('id')
        .where('org_id', '=', orgId)
        .where('is_managed', '=', 1)
        .where('is_active', '=', 0),
    )
    return rows.map(({ id }) => id).filter((id) => !isRecoveryKey(keys.materialOf(id)))
  }
}

const placesIn = (configs: BackupConfigs, configId: string, folders: readonly string[]): string[] => [
  ...new Set(folders.map((folder) => placeIn(configs, configId, folder))),
]

/** One that is turned off is not opened: its name has to do. */
function placeIn(configs: BackupConfigs, configId: string, folder: string): string {
  const config = configs.open(configId)
  if (!config) return 'turned off'
  const target = providers[config.row.provider].target(config.details, `${folder}FOLDER`)
  return target ? withoutCredentials(target.url) : 'backups/FOLDER in the data folder of the appliance'
}
