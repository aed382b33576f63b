import { table } from '../../db/table.ts'

export interface PartnerLoginBrandingTable {
  partner_id: string
  logo_url: string | null
  accent_color: string | null
  headline: string | null
  created_at: string
  updated_at: string
}

export const loginBrandingTables = {
  partner_login_branding: table<PartnerLoginBrandingTable>({
    writtenBy: ['login-branding'],
    tenancy: { by: 'none', because: 'read by the partner in the session' },
    merge: { policy: 'none', because: 'of the partner' },
    erasure: { stay: 'of the partner' },
  }),
}
