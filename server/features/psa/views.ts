import type { Selectable } from 'kysely'
import type { PsaConnection } from '../../../shared/api/psa.ts'
import { fromJson } from '../../lib/json.ts'
import type { PsaConnectionTable } from './tables.ts'

export type ConnectionRow = Selectable<PsaConnectionTable>

export const connectionView = (row: ConnectionRow): PsaConnection => ({
  id: row.id,
  orgId: row.org_id,
  ownerScope: row.org_id === null ? 'partner' : 'organization',
  provider: row.provider,
  name: row.name,
  status: row.status,
  settings: fromJson(row.settings),
  hasCredentials: row.credentials !== null,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  lastTestedAt: row.last_tested_at,
  lastSyncedAt: row.last_synced_at,
})
