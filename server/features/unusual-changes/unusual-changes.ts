import type { Selectable } from 'kysely'
import type { decideUnusualChange, listUnusualChanges, UnusualChange } from '../../../shared/api/unusual-changes.ts'
import type { BodyOf, QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { fromJson } from '../../lib/json.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Attention } from '../backup-attention/index.ts'
import { backupOrganization } from '../backup-storage/index.ts'
import { operableOrganization } from '../organization-access/index.ts'
import type { UnusualChangeTable } from './tables.ts'

interface UnusualChangeServices {
  db: Database
  clock: Clock
  audit: Audit
  attention: Attention
}

type Row = Selectable<UnusualChangeTable> & {
  hostname: string
  display_name: string | null
  decided_by_name: string | null
}

const namedRows = () =>
  q
    .selectFrom('backup_unusual_changes')
    .innerJoin('devices', 'devices.id', 'backup_unusual_changes.device_id')
    .leftJoin('users', 'users.id', 'backup_unusual_changes.decided_by')
    .selectAll('backup_unusual_changes')
    .select(['devices.hostname', 'devices.display_name', 'users.name as decided_by_name'])

/** What people see and say of unusual changes. */
export class UnusualChanges {
  readonly #services: UnusualChangeServices

  constructor(services: UnusualChangeServices) {
    this.#services = services
  }

  list(actor: UserActor, wanted: QueryOf<typeof listUnusualChanges>): ReplyOf<typeof listUnusualChanges> {
    const { db } = this.#services
    const orgId = backupOrganization(db, actor, wanted.orgId)
    const { page, limit } = wanted
    let found = q
      .selectFrom('backup_unusual_changes')
      .where('org_id', '=', orgId)
      .where(withinReach(actor, 'backup_unusual_changes'))
    if (wanted.deviceId) found = found.where('device_id', '=', wanted.deviceId)
    if (wanted.state) found = found.where('state', '=', wanted.state)
    const total = db.one(found.select((select) => select.fn.countAll<number>().as('total'))).total
    const ids = found
      .select('id')
      .orderBy('found_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset((page - 1) * limit)
    const rows = db.all(
      namedRows()
        .where('backup_unusual_changes.id', 'in', ids)
        .orderBy('found_at', 'desc')
        .orderBy('backup_unusual_changes.id', 'desc'),
    )
    return { data: rows.map(viewOf), pagination: { page, limit, total } }
  }

  /**
   * What was expected holds nothing any more.
   * @throws AppError `unusual_change_not_found`, `unusual_change_decided`
   */
  decide(actor: UserActor, id: string, { decision, reason }: BodyOf<typeof decideUnusualChange>): UnusualChange {
    const { db, clock, audit } = this.#services
    return db.transaction(() => {
      const row = this.#findToWrite(actor, id)
      if (row.state === 'expected' || row.state === decision) throw new AppError('unusual_change_decided')
      const decided = { state: decision, reason, decided_at: isoNow(clock), decided_by: actor.userId }
      db.run(q.updateTable('backup_unusual_changes').set(decided).where('id', '=', id))
      this.#resolve(row.device_id)
      const after = viewOf(this.#byId(id) as Row)
      audit(actor, {
        action: 'backup.unusual_change.decide',
        resourceType: 'device',
        resourceId: row.device_id,
        resourceName: after.deviceName,
        orgId: row.org_id,
        details: { unusualChangeId: id, decision, before: row.state, reason },
      })
      return after
    })
  }

  #findToWrite(actor: UserActor, id: string): Row {
    const { db } = this.#services
    const found = db.first(q.selectFrom('backup_unusual_changes').select('org_id').where('id', '=', id))
    if (!found) throw new AppError('unusual_change_not_found')
    operableOrganization(db, actor, found.org_id, 'unusual_change_not_found')
    const row = db.first(
      namedRows().where('backup_unusual_changes.id', '=', id).where(withinReach(actor, 'backup_unusual_changes')),
    )
    if (!row) throw new AppError('unusual_change_not_found')
    return row
  }

  #byId(id: string): Row | undefined {
    return this.#services.db.first(namedRows().where('backup_unusual_changes.id', '=', id))
  }

  /** Unless the backups of the device to another storage have something that nobody has looked at. */
  #resolve(deviceId: string): void {
    const { db, attention } = this.#services
    const others = q.selectFrom('backup_unusual_changes').select('id').where('device_id', '=', deviceId)
    if (db.first(others.where('state', '=', 'open').limit(1))) return
    for (const row of attention.openOf(deviceId)) if (row.kind === 'unusual_change') attention.resolve(row)
  }
}

const viewOf = (row: Row): UnusualChange => ({
  id: row.id,
  orgId: row.org_id,
  deviceId: row.device_id,
  deviceName: row.display_name ?? row.hostname,
  snapshotId: row.snapshot_id,
  olderId: row.older_id,
  takenAt: row.taken_at,
  sign: row.sign,
  numbers: fromJson(row.numbers),
  state: row.state,
  foundAt: row.found_at,
  decidedAt: row.decided_at,
  decidedByName: row.decided_by_name,
  reason: row.reason,
})
