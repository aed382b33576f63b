import { table } from '../../db/table.ts'

export interface SettingTable {
  name: string
  value: string
}

export const messagingTables = {
  settings: table<SettingTable>({
    writtenBy: ['messaging'],
    tenancy: { by: 'none', because: 'about the appliance' },
    merge: { policy: 'none', because: 'about the appliance' },
    erasure: { stay: 'about the appliance' },
  }),
}
