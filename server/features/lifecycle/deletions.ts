import type { Database, TableName } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Flag } from '../../db/table.ts'
import { rulesOf } from '../../tables.ts'
import { isLastingInSql } from '../audit-log/index.ts'
import { tablesThatGoWith } from './erasure-rules.ts'

/** What one statement has done. */
export interface Deleted {
  table: TableName
  rows: number
}

/** Rows deleted in one statement, so that none takes long. */
const rowsPerBatch = 20

/**
 * Deletes what belongs to an organization, children first: a small statement for each value asked for, which the caller
 * gathers in transactions. It may be left at any point and begun anew. The row of the organization itself is left.
 */
export function* deletionsBelow(db: Database, orgId: string): Generator<Deleted, void> {
  for (const table of tablesThatGoWith('organization')) {
    if (table === 'devices') yield* deviceByDevice(db, orgId)
    if (table === 'organization_users') yield* memberByMember(db, orgId)
    const rule = rulesOf(table).erasure
    if ('parent' in rule && rule.parent) yield* unlinked(db, table, rule.parent, orgId)
    if ('isLog' in rule) yield* withoutLasting(db, orgId)
    else yield* emptied(db, table, 'org_id', orgId)
  }
}

/** Follows the index, so that lasting events are read once only. */
function* withoutLasting(db: Database, orgId: string): Generator<Deleted, void> {
  const next = db.statement<Place & { isLasting: Flag }>(
    `SELECT timestamp, id, ${isLastingInSql} AS isLasting FROM audit_logs
     WHERE org_id = +@orgId AND (timestamp, id) > (@timestamp, @id) ORDER BY timestamp, id LIMIT ${rowsPerBatch}`,
  )
  for (let last: Place = { timestamp: '', id: '' }; ; ) {
    const events = next.all({ orgId, timestamp: last.timestamp, id: last.id })
    const end = events.at(-1)
    if (!end) return
    last = end
    const expired = JSON.stringify(events.filter(({ isLasting }) => !isLasting).map(({ id }) => id))
    const rows = write(db, 'DELETE FROM audit_logs WHERE id IN (SELECT value FROM json_each(+?))', expired)
    yield { table: 'audit_logs', rows }
  }
}

interface Place {
  timestamp: string
  id: string
}

function* deviceByDevice(db: Database, orgId: string): Generator<Deleted, void> {
  for (;;) {
    const device = db.first(q.selectFrom('devices').select('id').where('org_id', '=', orgId).limit(1))
    if (!device) return
    for (const table of tablesThatGoWith('device')) yield* emptied(db, table, 'device_id', device.id)
    yield* emptied(db, 'devices', 'id', device.id)
  }
}

function* memberByMember(db: Database, orgId: string): Generator<Deleted, void> {
  for (;;) {
    const member = db.first(q.selectFrom('organization_users').select(['id', 'user_id']).where('org_id', '=', orgId))
    if (!member) return
    if (!belongsElsewhere(db, member.user_id, orgId)) yield* emptied(db, 'sessions', 'user_id', member.user_id)
    yield* emptied(db, 'organization_users', 'id', member.id)
  }
}

function* emptied(db: Database, table: TableName, column: string, id: string): Generator<Deleted, void> {
  const rule = rulesOf(table).erasure
  const maxRows = 'areLarge' in rule ? 1 : rowsPerBatch
  for (;;) {
    const rows = write(db, `DELETE FROM ${table} WHERE ${column} = +? LIMIT ${maxRows}`, id)
    if (rows === 0) return
    yield { table, rows }
  }
}

/** Clears references within one table, which would block the deletion of either row. */
function* unlinked(db: Database, table: TableName, parent: string, orgId: string): Generator<Deleted, void> {
  const some = `WHERE org_id = +? AND ${parent} IS NOT NULL LIMIT ${rowsPerBatch}`
  while (write(db, `UPDATE ${table} SET ${parent} = NULL ${some}`, orgId) > 0) yield { table, rows: 0 }
}

const write = (db: Database, statement: string, id: string): number => db.statement(statement).run(id).changes

function belongsElsewhere(db: Database, userId: string, orgId: string): boolean {
  const elsewhere = q
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('is_platform_admin', '=', 1),
        exists(selectFrom('partner_users').select('id').whereRef('user_id', '=', 'users.id')),
        exists(
          selectFrom('organization_users')
            .select('id')
            .whereRef('user_id', '=', 'users.id')
            .where('org_id', '<>', orgId),
        ),
      ]),
    )
  return db.first(elsewhere) !== undefined
}
