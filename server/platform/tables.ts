import type { Generated } from 'kysely'
import { type Flag, table } from '../db/table.ts'
import type { JsonText } from '../lib/json.ts'

/** One piece of durable background work. */
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
  cancel_requested: Generated<Flag>
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
  /** When each use was, ms: since 1970, or as the monotonic clock has it. */
  hits: JsonText<number[]>
  expires_at: number
}

export interface SettingTable {
  name: string
  value: string
}

export const platformTables = {
  tasks: table<TaskTable>({
    writtenBy: ['platform'],
    tenancy: { by: 'none', because: 'about the appliance; read by the id of a task together with its partner' },
    merge: { policy: 'none', because: 'tells what was done with the organization of that id' },
    erasure: { stay: 'tells how the erasure goes, and that it is done; mail is to people of the partner' },
  }),
  job_runs: table<JobRunTable>({
    writtenBy: ['platform'],
    tenancy: { by: 'none', because: 'about the appliance' },
    merge: { policy: 'none', because: 'about the appliance' },
    erasure: { stay: 'about the appliance' },
  }),
  rate_limits: table<RateLimitTable>({
    writtenBy: ['platform'],
    tenancy: { by: 'none', because: 'about the appliance' },
    merge: { policy: 'none', because: 'about the appliance' },
    erasure: { stay: 'about callers, and short-lived' },
  }),
  settings: table<SettingTable>({
    writtenBy: ['platform'],
    tenancy: { by: 'none', because: 'about the appliance' },
    merge: { policy: 'none', because: 'about the appliance' },
    erasure: { stay: 'about the appliance' },
  }),
}
