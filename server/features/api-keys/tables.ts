import type { Generated } from 'kysely'
import type { ApiKeyScope } from '../../../shared/api/api-keys.ts'
import { table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface ApiKeyTable {
  id: string
  org_id: string
  name: string
  key_hash: string
  key_prefix: string
  scopes: Generated<JsonText<ApiKeyScope[]>>
  rate_limit: Generated<number>
  expires_at: string | null
  last_used_at: string | null
  usage_count: Generated<number>
  created_by: string
  status: Generated<'active' | 'revoked' | 'expired'>
  source: Generated<'manual'>
  created_at: string
  updated_at: string
}

export const apiKeysTables = {
  api_keys: table<ApiKeyTable>({
    writtenBy: ['api-keys'],
    tenancy: { by: 'organization', org: 'org_id' },
    merge: { policy: 'custom' },
    erasure: { goWith: 'organization' },
    unversioned: ['usage_count', 'last_used_at'],
  }),
}
