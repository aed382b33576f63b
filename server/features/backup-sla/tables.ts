import type { SlaEvent, SlaEventType } from '../../../shared/api/backup-sla.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface SlaConfigTable {
  id: string
  org_id: string
  name: string
  rpo_target_minutes: number
  rto_target_minutes: number
  target_devices: JsonText<string[]>
  target_groups: JsonText<string[]>
  alert_on_breach: Flag
  is_active: Flag
  checked_at: string | null
  device_count: number | null
  created_at: string
  updated_at: string
}

export interface SlaEventTable {
  id: string
  org_id: string
  sla_config_id: string
  device_id: string
  event_type: SlaEventType
  details: JsonText<SlaEvent['details']>
  detected_at: string
  resolved_at: string | null
  is_mail_due: Flag
}

export const backupSlaTables = {
  backup_sla_configs: table<SlaConfigTable>({
    writtenBy: ['backup-sla'],
    tenancy: { by: 'organization', org: 'org_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
    unversioned: ['checked_at', 'device_count'],
  }),
  backup_sla_events: table<SlaEventTable>({
    writtenBy: ['backup-sla'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
}
