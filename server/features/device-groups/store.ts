import { type Selectable, sql } from 'kysely'
import type { DeviceGroup } from '../../../shared/api/device-groups.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson } from '../../lib/json.ts'
import type { DeviceGroupTable } from './tables.ts'

export type GroupRow = Selectable<DeviceGroupTable>

export const groupRows = () =>
  q
    .selectFrom('device_groups')
    .selectAll('device_groups')
    .select(
      sql<number>`(select count(*) from device_group_members where group_id = device_groups.id)`.as('device_count'),
    )

type CountedRow = GroupRow & { device_count: number }

export const findGroup = (db: Database, id: string): GroupRow | undefined =>
  db.first(q.selectFrom('device_groups').selectAll().where('id', '=', id))

/** The same of one that exists. */
export const readGroup = (db: Database, id: string): GroupRow =>
  db.one(q.selectFrom('device_groups').selectAll().where('id', '=', id))

export const findGroups = (db: Database, ids: readonly string[]): GroupRow[] =>
  db
    .statement<GroupRow>('SELECT * FROM device_groups WHERE id IN (SELECT value FROM json_each(?))')
    .all(JSON.stringify(ids))

export const dynamicGroupsIn = (db: Database, orgId: string): string[] =>
  db.statement<string>(`SELECT id FROM device_groups WHERE org_id = ? AND type = 'dynamic'`).pluck().all(orgId)

export const groupView = (row: CountedRow): DeviceGroup => ({
  id: row.id,
  orgId: row.org_id,
  siteId: row.site_id,
  name: row.name,
  type: row.type,
  rules: row.rules === null ? null : fromJson(row.rules),
  filterConditions: row.filter_conditions === null ? null : { ...fromJson(row.filter_conditions) },
  filterFieldsUsed: fromJson(row.filter_fields_used),
  parentId: row.parent_id,
  deviceCount: row.device_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
