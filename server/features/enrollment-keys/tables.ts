import type { Generated } from 'kysely'
import { table } from '../../db/table.ts'

export interface EnrollmentKeyTable {
  id: string
  org_id: string
  site_id: string | null
  name: string
  key: string
  key_secret_hash: string | null
  short_code: string | null
  installer_platform: string | null
  usage_count: Generated<number>
  max_usage: number | null
  expires_at: string | null
  created_by: string | null
  created_at: string
  /** A new row gets its `created_at`. */
  updated_at: Generated<string>
}

export const enrollmentKeysTables = {
  enrollment_keys: table<EnrollmentKeyTable>({
    writtenBy: ['enrollment-keys'],
    tenancy: { by: 'organization', org: 'org_id', site: 'site_id', isOfNoGroup: true },
    merge: { policy: 'custom' },
    erasure: { goWith: 'organization' },
  }),
}
