import type { Generated } from 'kysely'
import { table } from '../db/table.ts'
import type { JsonText } from '../lib/json.ts'

export interface AuditLogTable {
  seq: Generated<number>
  id: string
  org_id: string | null
  partner_id: string | null
  timestamp: string
  actor_type: 'user' | 'api_key' | 'agent' | 'system'
  actor_id: string
  actor_email: string | null
  action: string
  resource_type: string
  resource_id: string | null
  resource_name: string | null
  details: JsonText<Record<string, unknown>>
  ip_address: string | null
  user_agent: string | null
  result: 'success' | 'failure' | 'denied'
  error_message: string | null
  initiated_by: string
  prev_checksum: string | null
  checksum: string
}

export interface AuditChainTable {
  id: Generated<number>
  org_id: string | null
  partner_id: string | null
  first_seq: number
  anchor: string | null
  head_seq: number
  head: string
  length: number
  cleaned_at: string | null
  seal: string | null
  unsealed_seq: number | null
  fault: 'changed' | 'missing' | 'added' | 'seal' | null
  fault_seq: number | null
  checked_at: string | null
}

export const auditTables = {
  // After everything that may still write into it.
  audit_logs: table<AuditLogTable>({
    writtenBy: ['platform', 'audit-log', 'lifecycle'],
    tenancy: { by: 'none', because: 'written here; its readers bring their own rule' },
    merge: { policy: 'leave-for-erasure' },
    erasure: { goWith: 'organization', isLog: true },
  }),
  audit_chains: table<AuditChainTable>({
    writtenBy: ['platform', 'audit-log'],
    tenancy: {
      by: 'none',
      because: 'of a partner, an organization or the appliance; its readers bring their own rule',
    },
    merge: { policy: 'leave-for-erasure' },
    erasure: { goWith: 'nothing-left' },
  }),
}
