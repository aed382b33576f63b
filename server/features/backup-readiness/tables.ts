import type { RiskFactor } from '../../../shared/api/backup-readiness.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface ReadinessTable {
  id: string
  org_id: string
  device_id: string
  readiness_score: number
  estimated_rto_minutes: number | null
  newest_backup_at: string | null
  last_checked_at: string
  last_test_restore_at: string | null
  risk_factors: JsonText<RiskFactor[]>
  is_low: Flag
  calculated_at: string
}

export const backupReadinessTables = {
  backup_readiness: table<ReadinessTable>({
    writtenBy: ['backup-readiness'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
}
