import type { Generated } from 'kysely'
import { table } from '../../db/table.ts'

export interface MailMessageTable {
  id: string
  kind: string
  recipient: string
  data: string
  status: Generated<'queued' | 'sent' | 'failed' | 'expired'>
  attempts: Generated<number>
  next_attempt_at: string | null
  last_error: string | null
  expires_at: string | null
  sent_at: string | null
  created_at: string
}

export interface SettingTable {
  name: string
  value: string
}

export const messagingTables = {
  mail_messages: table<MailMessageTable>({
    writtenBy: ['messaging'],
    tenancy: { by: 'none', because: 'about the appliance' },
    merge: { policy: 'none', because: 'about the appliance' },
    erasure: { stay: 'to people of the partner, and forgotten after a month' },
  }),
  settings: table<SettingTable>({
    writtenBy: ['messaging'],
    tenancy: { by: 'none', because: 'about the appliance' },
    merge: { policy: 'none', because: 'about the appliance' },
    erasure: { stay: 'about the appliance' },
  }),
}
