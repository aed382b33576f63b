import type { Generated } from 'kysely'
import type { FilterConditions } from '../../../shared/device-filter.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface DeviceGroupTable {
  id: string
  org_id: string
  site_id: string | null
  parent_id: string | null
  name: string
  type: Generated<'static' | 'dynamic'>
  rules: JsonText<Record<string, unknown>> | null
  filter_conditions: JsonText<FilterConditions> | null
  filter_fields_used: Generated<JsonText<string[]>>
  created_at: string
  updated_at: string
}

export interface DeviceGroupMemberTable {
  group_id: string
  device_id: string
  is_pinned: Generated<Flag>
  added_by: 'manual' | 'dynamic_rule' | 'policy'
  added_at: string
}

/** How the members of a group came and went, the oldest first by `id`. */
export interface DeviceGroupLogTable {
  id: Generated<number>
  group_id: string
  device_id: string
  action: 'added' | 'removed' | 'pinned' | 'unpinned'
  reason: 'manual' | 'filter_match' | 'filter_unmatch' | 'pinned' | 'unpinned'
  /** Null where a rule did it, or where the device left because it moved. */
  changed_by: string | null
  created_at: string
}

/** Devices whose memberships in dynamic groups are to be found anew; triggers fill it. */
export interface DeviceGroupDueTable {
  device_id: string
  /** How often it changed again before it was looked at. */
  changes: Generated<number>
}

export const deviceGroupsTables = {
  device_groups: table<DeviceGroupTable>({
    writtenBy: ['device-groups'],
    tenancy: { by: 'organization', org: 'org_id', site: 'site_id', group: 'id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization', parent: 'parent_id' },
  }),
  device_group_members: table<DeviceGroupMemberTable>({
    writtenBy: ['device-groups'],
    tenancy: { by: 'device', device: 'device_id' },
    merge: { policy: 'follows-parent', parent: 'device_groups' },
    erasure: { goWith: 'device' },
  }),
  device_group_log: table<DeviceGroupLogTable>({
    writtenBy: ['device-groups'],
    tenancy: { by: 'device', device: 'device_id' },
    merge: { policy: 'follows-parent', parent: 'device_groups' },
    erasure: { goWith: 'device' },
  }),
  device_group_due: table<DeviceGroupDueTable>({
    writtenBy: ['device-groups'],
    tenancy: { by: 'device', device: 'device_id' },
    merge: { policy: 'follows-parent', parent: 'devices' },
    erasure: { goWith: 'device' },
  }),
}
