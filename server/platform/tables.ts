import type { Generated } from 'kysely'
import { table } from '../db/table.ts'

export interface OutboxTable {
  id: Generated<number>
  kind: string
  payload: string
  attempts: Generated<number>
  next_attempt_at: string
  last_error: string | null
  created_at: string
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

export const platformTables = {
  outbox: table<OutboxTable>({
    writtenBy: ['platform'],
    tenancy: { by: 'none', because: 'the appliance talks to itself' },
    merge: { policy: 'none', because: 'the appliance talks to itself' },
    erasure: { stay: 'delivered within moments, to nobody' },
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
}
