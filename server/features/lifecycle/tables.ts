import type { Generated } from 'kysely'
import { table } from '../../db/table.ts'

/** Long work on one tenant, done in pieces: `org-merge-<id>`, `tenant-erasure-<id>`. */
export interface TenantJobTable {
  id: string
  kind: 'merge' | 'erasure'
  org_id: string
  partner_id: string
  requested_by: string | null
  state: 'waiting' | 'active' | 'completed' | 'failed'
  input: Generated<string>
  progress: Generated<string>
  result: string | null
  failed_reason: string | null
  attempts: Generated<number>
  created_at: string
  started_at: string | null
  finished_at: string | null
}

export const lifecycleTables = {
  tenant_jobs: table<TenantJobTable>({
    writtenBy: ['lifecycle'],
    tenancy: { by: 'none', because: 'read by the id of a job together with its partner' },
    merge: { policy: 'none', because: 'tells what was done with the organization of that id' },
    erasure: { stay: 'tells how the erasure goes, and that it is done' },
  }),
}
