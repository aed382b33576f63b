import type { Generated } from 'kysely'
import { table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface SiteTable {
  id: string
  org_id: string
  name: string
  address: JsonText<unknown> | null
  timezone: Generated<string>
  contact: JsonText<Record<string, unknown>> | null
  settings: JsonText<unknown> | null
  device_count: Generated<number>
  created_at: string
  updated_at: string
}

export const sitesTables = {
  sites: table<SiteTable>({
    writtenBy: ['sites'],
    tenancy: { by: 'organization', org: 'org_id', site: 'id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
}
