import type { Generated } from 'kysely'
import { table } from '../../db/table.ts'

export interface SiteTable {
  id: string
  org_id: string
  name: string
  address: string | null
  timezone: Generated<string>
  contact: string | null
  settings: string | null
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
