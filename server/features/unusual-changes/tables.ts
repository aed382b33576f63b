import type { UnusualChange } from '../../../shared/api/unusual-changes.ts'
import type { BackupMode } from '../../../shared/backup-plan.ts'
import { table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface UnusualChangeTable {
  id: string
  org_id: string
  device_id: string
  config_id: string
  backup_mode: BackupMode
  snapshot_id: string | null
  older_id: string | null
  taken_at: string
  sign: UnusualChange['sign']
  numbers: JsonText<UnusualChange['numbers']>
  state: UnusualChange['state']
  found_at: string
  decided_at: string | null
  decided_by: string | null
  reason: string | null
}

export interface ChangeCheckTable {
  id: string
  repository_id: string
  org_id: string
  device_id: string
  stored_bytes: number
}

export const unusualChangesTables = {
  backup_unusual_changes: table<UnusualChangeTable>({
    writtenBy: ['unusual-changes'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
  backup_change_checks: table<ChangeCheckTable>({
    writtenBy: ['unusual-changes'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
}
