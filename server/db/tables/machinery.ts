import type { Generated } from 'kysely'

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
  details: string
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

/** One piece of durable background work (server/platform/tasks). */
export interface TaskTable {
  seq: Generated<number>
  id: string
  kind: string
  key: string | null
  org_id: string | null
  partner_id: string | null
  requested_by: string | null
  state: Generated<'waiting' | 'active' | 'completed' | 'failed' | 'cancelled' | 'expired'>
  input: string
  progress: string | null
  result: string | null
  error: string | null
  attempts: Generated<number>
  due_at: string | null
  lease_until: string | null
  deadline_at: string | null
  cancel_requested: Generated<0 | 1>
  created_at: string
  started_at: string | null
  finished_at: string | null
}

export interface JobRunTable {
  name: string
  last_started_at: string | null
  last_finished_at: string | null
  last_duration_ms: number | null
  last_outcome: 'success' | 'failure' | null
  last_error: string | null
}

export interface RateLimitTable {
  bucket: string
  key: string
  hits: string
  expires_at: number
}

export interface SettingTable {
  name: string
  value: string
}
