import { randomUUIDv7 } from 'node:crypto'
import type { createSlaConfig, listSlaConfigs, SlaConfig, updateSlaConfig } from '../../../shared/api/backup-sla.ts'
import type { AuditActionOf } from '../../../shared/audit-actions/index.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import { byName } from '../../db/by-name.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { toJson } from '../../lib/json.ts'
import { type Steps, shownInSteps } from '../../lib/pieces.ts'
import { isConfined, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { changedFieldsOf, changeOf } from '../../platform/updates.ts'
import { backupOrganization } from '../backup-storage/index.ts'
import { operableOrganization } from '../organization-access/index.ts'
import { assertOfOrganization } from './targets.ts'
import { type ShownConfigRow, type SlaConfigRow, slaConfigRows, slaConfigView } from './views.ts'

interface ConfigServices {
  db: Database
  clock: Clock
  audit: Audit
}

/** What is promised about the backups of an organization; somebody confined to a part of it has no say in it. */
export class SlaConfigs {
  readonly #services: ConfigServices

  constructor(services: ConfigServices) {
    this.#services = services
  }

  *list(actor: UserActor, named: string | undefined): Steps<ReplyOf<typeof listSlaConfigs>> {
    const { db } = this.#services
    const orgId = backupOrganization(db, actor, named)
    if (isConfined(actor)) return { data: [] }
    const seen = slaConfigRows()
      .where('org_id', '=', orgId)
      .where(withinReach(actor, 'backup_sla_configs'))
      .orderBy(byName('name'))
      .orderBy('id')
    const ids = db.all(
      q.selectFrom('backup_sla_configs').select('id').where('org_id', '=', orgId).orderBy(byName('name')).orderBy('id'),
    )
    const read = (some: readonly { id: string }[]) =>
      db.all(
        seen.where(
          'id',
          'in',
          some.map(({ id }) => id),
        ),
      )
    return { data: yield* shownInSteps(ids, read, slaConfigView) }
  }

  /** Without an organization the id says which one. */
  read(actor: UserActor, id: string): SlaConfig {
    const row = this.#services.db.first(
      slaConfigRows().where('id', '=', id).where(withinReach(actor, 'backup_sla_configs')),
    )
    if (!row || isConfined(actor)) throw new AppError('sla_config_not_found')
    return slaConfigView(row)
  }

  create(actor: UserActor, wanted: BodyOf<typeof createSlaConfig>, named: string | undefined): SlaConfig {
    const { db, clock } = this.#services
    const orgId = backupOrganization(db, actor, named)
    return db.transaction(() => {
      operableOrganization(db, actor, orgId)
      if (isConfined(actor)) throw new AppError('permission_denied')
      assertOfOrganization(db, orgId, wanted)
      const id = randomUUIDv7()
      const now = isoNow(clock)
      db.run(
        q.insertInto('backup_sla_configs').values({
          id,
          org_id: orgId,
          name: wanted.name,
          rpo_target_minutes: wanted.rpoTargetMinutes,
          rto_target_minutes: wanted.rtoTargetMinutes,
          target_devices: toJson([...new Set(wanted.targetDevices)]),
          target_groups: toJson([...new Set(wanted.targetGroups)]),
          alert_on_breach: wanted.alertOnBreach ? 1 : 0,
          is_active: wanted.isActive ? 1 : 0,
          created_at: now,
          updated_at: now,
        }),
      )
      const row = this.#byId(id)
      const { rpo_target_minutes: rpoTargetMinutes, rto_target_minutes: rtoTargetMinutes } = row
      this.#record(actor, 'create', row, { rpoTargetMinutes, rtoTargetMinutes })
      return slaConfigView(row)
    })
  }

  /** What is turned off has no breach. */
  update(actor: UserActor, id: string, wanted: BodyOf<typeof updateSlaConfig>, named: string | undefined): SlaConfig {
    const { db } = this.#services
    return db.transaction(() => {
      const before = this.#findToWrite(actor, id, named)
      const changedFields = changedFieldsOf(wanted)
      assertOfOrganization(db, before.org_id, wanted, before)
      db.run(q.updateTable('backup_sla_configs').set(this.#columnsOf(wanted)).where('id', '=', id))
      if (wanted.isActive === false) this.#resolveAll(id)
      const after = this.#byId(id)
      const view = slaConfigView(after)
      this.#record(actor, 'update', after, changeOf(changedFields, slaConfigView(before), view))
      return view
    })
  }

  /** With all its events. Answers of which organization it was. */
  remove(actor: UserActor, id: string, named: string | undefined): string {
    const { db } = this.#services
    return db.transaction(() => {
      const row = this.#findToWrite(actor, id, named)
      db.run(q.deleteFrom('backup_sla_events').where('sla_config_id', '=', id))
      db.run(q.deleteFrom('backup_sla_configs').where('id', '=', id))
      this.#record(actor, 'delete', row)
      return row.org_id
    })
  }

  #columnsOf(wanted: BodyOf<typeof updateSlaConfig>) {
    const { name, rpoTargetMinutes, rtoTargetMinutes, targetDevices, targetGroups, alertOnBreach, isActive } = wanted
    return {
      ...(name !== undefined && { name }),
      ...(rpoTargetMinutes !== undefined && { rpo_target_minutes: rpoTargetMinutes }),
      ...(rtoTargetMinutes !== undefined && { rto_target_minutes: rtoTargetMinutes }),
      ...(targetDevices && { target_devices: toJson([...new Set(targetDevices)]) }),
      ...(targetGroups && { target_groups: toJson([...new Set(targetGroups)]) }),
      ...(alertOnBreach !== undefined && { alert_on_breach: alertOnBreach ? (1 as const) : (0 as const) }),
      ...(isActive !== undefined && { is_active: isActive ? (1 as const) : (0 as const) }),
      updated_at: isoNow(this.#services.clock),
    }
  }

  #resolveAll(id: string): void {
    const { db, clock } = this.#services
    db.run(
      q
        .updateTable('backup_sla_events')
        .set({ resolved_at: isoNow(clock), is_mail_due: 0 })
        .where('sla_config_id', '=', id)
        .where('resolved_at', 'is', null),
    )
  }

  /** Found without the reach, so that a frozen organization says so. */
  #findToWrite(actor: UserActor, id: string, named: string | undefined): ShownConfigRow {
    const { db } = this.#services
    const byId = slaConfigRows().where('id', '=', id)
    const row = db.first(named ? byId.where('org_id', '=', named) : byId)
    if (!row) throw new AppError('sla_config_not_found')
    operableOrganization(db, actor, row.org_id, 'sla_config_not_found')
    if (isConfined(actor)) throw new AppError('sla_config_not_found')
    return row
  }

  #byId(id: string): ShownConfigRow {
    return this.#services.db.one(slaConfigRows().where('id', '=', id))
  }

  #record(
    actor: UserActor,
    what: AuditActionOf<'backup.sla_config'>,
    row: SlaConfigRow,
    details: Record<string, unknown> = {},
  ): void {
    this.#services.audit(actor, {
      action: `backup.sla_config.${what}`,
      resourceType: 'sla_config',
      resourceId: row.id,
      resourceName: row.name,
      orgId: row.org_id,
      details,
    })
  }
}
