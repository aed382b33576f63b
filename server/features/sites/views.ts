import type { Selectable } from 'kysely'
import type { Site } from '../../../shared/api/sites.ts'
import { fromJson, type JsonText } from '../../lib/json.ts'
import type { SiteTable } from './tables.ts'

export type SiteRow = Selectable<SiteTable>

const parsed = <Value>(text: JsonText<Value> | null): Value | null => (text === null ? null : fromJson(text))

export const siteView = (row: SiteRow): Site & { deviceCount: number } => ({
  id: row.id,
  orgId: row.org_id,
  name: row.name,
  address: parsed(row.address),
  timezone: row.timezone,
  contact: parsed(row.contact),
  settings: parsed(row.settings),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  deviceCount: row.device_count,
})
