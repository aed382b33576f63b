import type { Generated } from 'kysely'
import { table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface PsaConnectionTable {
  id: string
  org_id: string | null
  partner_id: string | null
  provider: 'connectwise' | 'autotask' | 'servicenow' | 'freshservice' | 'zendesk' | 'jira'
  name: string
  status: Generated<'active' | 'paused' | 'error'>
  credentials: string | null
  settings: Generated<JsonText<Record<string, unknown>>>
  last_tested_at: string | null
  last_synced_at: string | null
  created_at: string
  updated_at: string
}

export const psaTables = {
  psa_connections: table<PsaConnectionTable>({
    writtenBy: ['psa'],
    tenancy: { by: 'none', because: 'of a partner or of an organization; its store brings the rule' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
}
