import { randomUUIDv7 } from 'node:crypto'
import { z } from 'zod'
import type {
  BackupConfig,
  createBackupConfig,
  listBackupConfigs,
  testBackupConfig,
  updateBackupConfig,
} from '../../../shared/api/backup-configs.ts'
import type { AuditActionOf } from '../../../shared/audit-actions/index.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { toJson } from '../../lib/json.ts'
import { isConfined, type UserActor } from '../../platform/actor.ts'
import type { Audit, AuditEvent } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { changedFieldsOf, changeOf } from '../../platform/updates.ts'
import { operableOrganization } from '../organization-access/index.ts'
import { changedDetails } from './changed-details.ts'
import { policiesWith } from './policies-with.ts'
import type { ProbeOutcome } from './probe/storage-probe.ts'
import { backupOrganization } from './scope.ts'
import type { Details } from './secrets-of-details.ts'
import { type ConfigRow, configView } from './views.ts'

interface BackupConfigServices {
  db: Database
  clock: Clock
  audit: Audit
  secrets: Secrets
}

const storedDetails = z.record(z.string(), z.unknown())
const contextOf = (id: string) => `backup_configs:provider_config:${id}`

/** Where backups of an organization go. The settings are sealed; their secrets leave the appliance only to the storage. */
export class BackupConfigs {
  readonly #services: BackupConfigServices
  readonly #dependants: ((configId: string) => string | null)[] = []

  constructor(services: BackupConfigServices) {
    this.#services = services
  }

  list(actor: UserActor, named: string | undefined): ReplyOf<typeof listBackupConfigs> {
    const orgId = backupOrganization(this.#services.db, actor, named)
    if (isConfined(actor)) return { data: [] }
    const rows = this.#services.db.all(
      q
        .selectFrom('backup_configs')
        .selectAll()
        .where('org_id', '=', orgId)
        .where(withinReach(actor, 'backup_configs'))
        .orderBy('name')
        .orderBy('id'),
    )
    return { data: rows.map((row) => this.#view(row)) }
  }

  read(actor: UserActor, id: string, named: string | undefined): BackupConfig {
    return this.#view(this.#find(actor, id, named))
  }

  create(actor: UserActor, wanted: BodyOf<typeof createBackupConfig>, named: string | undefined): BackupConfig {
    const orgId = backupOrganization(this.#services.db, actor, named)
    const details = changedDetails(wanted.provider, {}, wanted.details)
    const { db, clock } = this.#services
    return db.transaction(() => {
      operableOrganization(db, actor, orgId)
      if (isConfined(actor)) throw new AppError('permission_denied')
      if (wanted.isDefault) this.#demoteDefault(orgId)
      const id = randomUUIDv7()
      const now = isoNow(clock)
      db.run(
        q.insertInto('backup_configs').values({
          id,
          org_id: orgId,
          name: wanted.name,
          provider: wanted.provider,
          provider_config: this.#seal(id, details),
          is_active: wanted.enabled ? 1 : 0,
          is_default: wanted.isDefault ? 1 : 0,
          encryption: wanted.encryption ? 1 : 0,
          created_at: now,
          updated_at: now,
        }),
      )
      const row = this.#byId(id)
      this.#record(actor, 'create', row, { provider: row.provider })
      return this.#view(row)
    })
  }

  update(
    actor: UserActor,
    id: string,
    { provider: _, ...wanted }: BodyOf<typeof updateBackupConfig>,
    named: string | undefined,
  ): BackupConfig {
    const { db, clock } = this.#services
    return db.transaction(() => {
      const before = this.#findToWrite(actor, id, named)
      const changedFields = changedFieldsOf(wanted)
      const details = wanted.details && changedDetails(before.provider, this.#open(before), wanted.details)
      if (wanted.isDefault) this.#demoteDefault(before.org_id)
      db.run(
        q
          .updateTable('backup_configs')
          .set({
            ...(wanted.name !== undefined && { name: wanted.name }),
            ...(wanted.enabled !== undefined && { is_active: wanted.enabled ? 1 : 0 }),
            ...(wanted.isDefault !== undefined && { is_default: wanted.isDefault ? 1 : 0 }),
            ...(wanted.encryption !== undefined && { encryption: wanted.encryption ? 1 : 0 }),
            // What another place can do is not known.
            ...(details && {
              provider_config: this.#seal(id, details),
              provider_capabilities: null,
              provider_capabilities_checked_at: null,
            }),
            updated_at: isoNow(clock),
          })
          .where('id', '=', id),
      )
      const after = this.#byId(id)
      const view = this.#view(after)
      this.#record(actor, 'update', after, changeOf(changedFields, this.#view(before), view))
      return view
    })
  }

  /** To be tested by somebody who may change it. */
  openToTest(actor: UserActor, id: string, named: string | undefined): { row: ConfigRow; details: Details } {
    const row = this.#findToWrite(actor, id, named)
    return { row, details: this.#open(row) }
  }

  /** What a test has found; what the storage can do is noted unless it was changed or deleted meanwhile. */
  noteTest(actor: UserActor, tested: ConfigRow, { status, error, objectLock, freeBytes }: ProbeOutcome) {
    const { db, clock } = this.#services
    return db.transaction((): ReplyOf<typeof testBackupConfig> => {
      const before = this.#findToWrite(actor, tested.id, undefined)
      const checkedAt = isoNow(clock)
      const providerCapabilities = objectLock ? { objectLock: { ...objectLock, checkedAt } } : null
      if (providerCapabilities && before.provider_config === tested.provider_config)
        db.run(
          q
            .updateTable('backup_configs')
            .set({
              provider_capabilities: toJson(providerCapabilities),
              provider_capabilities_checked_at: checkedAt,
            })
            .where('id', '=', tested.id),
        )
      const row = this.#byId(tested.id)
      this.#record(actor, 'test', row, { status, error }, status === 'success' ? 'success' : 'failure')
      const { id, provider } = row
      const free = freeBytes === undefined ? {} : { freeBytes }
      return { id, provider, status, checkedAt, error, providerCapabilities, ...free, config: this.#view(row) }
    })
  }

  remove(actor: UserActor, id: string, named: string | undefined): void {
    const { db } = this.#services
    db.transaction(() => {
      const row = this.#findToWrite(actor, id, named)
      const referencingPolicies = policiesWith(db, id)
      if (referencingPolicies.length > 0)
        throw new AppError('backup_config_in_policies', {
          referencingPolicies,
          policies: referencingPolicies.map(({ name }) => name).join(', '),
        })
      const dependants = this.#dependants.flatMap((dependant) => dependant(id) ?? [])
      if (dependants.length > 0)
        throw new AppError('backup_config_in_use', {
          error: `In use by ${dependants.join(', ')}; disable the config instead`,
          dependants,
        })
      db.run(q.deleteFrom('backup_configs').where('id', '=', id))
      this.#record(actor, 'delete', row)
    })
  }

  /** Without an organization the id says which one. */
  #find(actor: UserActor, id: string, named: string | undefined): ConfigRow {
    const row = this.#services.db.first(this.#named(id, named).where(withinReach(actor, 'backup_configs')))
    if (!row || isConfined(actor)) throw new AppError('backup_config_not_found')
    return row
  }

  /** Found without the reach, so that a frozen organization says so. */
  #findToWrite(actor: UserActor, id: string, named: string | undefined): ConfigRow {
    const row = this.#services.db.first(this.#named(id, named))
    if (!row) throw new AppError('backup_config_not_found')
    operableOrganization(this.#services.db, actor, row.org_id, 'backup_config_not_found')
    if (isConfined(actor)) throw new AppError('backup_config_not_found')
    return row
  }

  #named(id: string, named: string | undefined) {
    const byId = q.selectFrom('backup_configs').selectAll().where('id', '=', id)
    return named ? byId.where('org_id', '=', named) : byId
  }

  /** Where backups go that no policy asks for: the default storage, else the oldest; null when none is turned on. */
  usableOf(orgId: string): string | null {
    const usable = q.selectFrom('backup_configs').select('id').where('org_id', '=', orgId).where('is_active', '=', 1)
    return this.#services.db.first(usable.orderBy('is_default', 'desc').orderBy('created_at').limit(1))?.id ?? null
  }

  /** `dependant` says in words what would be lost without a storage; null when nothing would. */
  keepFor(dependant: (configId: string) => string | null): void {
    this.#dependants.push(dependant)
  }

  /** The storage with its secrets; undefined when it is gone or turned off. */
  open(id: string): { row: ConfigRow; details: Details } | undefined {
    const row = this.#services.db.first(
      q.selectFrom('backup_configs').selectAll().where('id', '=', id).where('is_active', '=', 1),
    )
    return row && { row, details: this.#open(row) }
  }

  /** An organization has at most one. */
  #demoteDefault(orgId: string): void {
    this.#services.db.run(
      q.updateTable('backup_configs').set({ is_default: 0 }).where('org_id', '=', orgId).where('is_default', '=', 1),
    )
  }

  #byId(id: string): ConfigRow {
    return this.#services.db.one(q.selectFrom('backup_configs').selectAll().where('id', '=', id))
  }

  #view(row: ConfigRow): BackupConfig {
    return configView(row, this.#open(row))
  }

  #seal(id: string, details: Details): string {
    return this.#services.secrets.encrypt(JSON.stringify(details), contextOf(id))
  }

  #open({ id, provider_config }: ConfigRow): Details {
    return storedDetails.parse(JSON.parse(this.#services.secrets.decrypt(provider_config, contextOf(id))))
  }

  #record(
    actor: UserActor,
    what: AuditActionOf<'backup.config'>,
    row: ConfigRow,
    details: Record<string, unknown> = {},
    result: AuditEvent['result'] = 'success',
  ): void {
    this.#services.audit(actor, {
      action: `backup.config.${what}`,
      resourceType: 'backup_config',
      resourceId: row.id,
      resourceName: row.name,
      orgId: row.org_id,
      details,
      result,
    })
  }
}
