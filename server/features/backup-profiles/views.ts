import type { Selectable } from 'kysely'
import type { BackupProfile } from '../../../shared/api/backup-profiles.ts'
import { fromJson } from '../../lib/json.ts'
import type { BackupProfileTable } from './tables.ts'

export type ProfileRow = Selectable<BackupProfileTable>

export const profileView = (row: ProfileRow): BackupProfile => ({
  id: row.id,
  orgId: row.org_id,
  partnerId: row.partner_id,
  ownerScope: row.org_id === null ? 'partner' : 'organization',
  name: row.name,
  description: row.description,
  selections: { ...fromJson(row.selections) },
  isActive: row.is_active === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
