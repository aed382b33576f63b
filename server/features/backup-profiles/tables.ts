import type { Generated } from 'kysely'
import type { ProfileSelections } from '../../../shared/backup-plan.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface BackupProfileTable {
  id: string
  /** Of an organization or of a partner, never both. */
  org_id: string | null
  partner_id: string | null
  name: string
  description: string | null
  selections: JsonText<ProfileSelections>
  is_active: Generated<Flag>
  created_at: string
  updated_at: string
}

export const backupProfilesTables = {
  backup_profiles: table<BackupProfileTable>({
    writtenBy: ['backup-profiles'],
    tenancy: { by: 'none', because: 'of a partner or of an organization; its store brings the rule' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
}
