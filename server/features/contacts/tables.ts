import type { Generated } from 'kysely'
import type { ContactRole } from '../../../shared/api/contacts.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface ContactTable {
  id: string
  org_id: string
  site_id: string | null
  name: string | null
  name_key: string | null
  email: string | null
  phone: string | null
  mobile: string | null
  title: string | null
  roles: Generated<JsonText<ContactRole[]>>
  is_primary: Generated<Flag>
  notes: string | null
  created_by: string | null
  created_at: string
  updated_at: string
}

export interface ContactExternalLinkTable {
  id: string
  org_id: string
  contact_id: string
  system: string
  external_id: string
  created_at: string
}

export const contactsTables = {
  contacts: table<ContactTable>({
    writtenBy: ['contacts'],
    tenancy: { by: 'organization', org: 'org_id', site: 'site_id', isSeenWithoutSite: true },
    merge: { policy: 'custom' },
    erasure: { goWith: 'organization' },
  }),
  contact_external_links: table<ContactExternalLinkTable>({
    writtenBy: ['contacts'],
    tenancy: { by: 'organization', org: 'org_id' },
    merge: { policy: 'dedupe', same: ['system', 'external_id'] },
    erasure: { goWith: 'organization' },
  }),
}
