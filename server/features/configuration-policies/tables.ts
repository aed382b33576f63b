import type { Generated, GeneratedAlways } from 'kysely'
import type { z } from 'zod'
import type { AssignmentLevel, FeatureType, PolicyStatus } from '../../../shared/api/configuration-policies.ts'
import type { deviceRole, OsType } from '../../../shared/device/inventory.ts'
import { table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

type DeviceRole = z.infer<typeof deviceRole>

export interface ConfigurationPolicyTable {
  id: string
  /** Of an organization or of a partner, never both. */
  org_id: string | null
  partner_id: string | null
  name: string
  description: string | null
  status: Generated<PolicyStatus>
  created_by: string | null
  created_at: string
  updated_at: string
}

export interface ConfigPolicyFeatureLinkTable {
  id: string
  config_policy_id: string
  feature_type: FeatureType
  feature_policy_id: string | null
  inline_settings: JsonText<Record<string, unknown>> | null
  created_at: string
  updated_at: string
}

export interface ConfigPolicyAssignmentTable {
  id: string
  config_policy_id: string
  level: AssignmentLevel
  /** The organization of the target; null at the level of the partner. */
  org_id: string | null
  partner_id: string | null
  site_id: string | null
  group_id: string | null
  device_id: string | null
  /** That of the level. */
  target_id: GeneratedAlways<string>
  priority: Generated<number>
  role_filter: JsonText<DeviceRole[]> | null
  os_filter: JsonText<OsType[]> | null
  assigned_by: string | null
  created_at: string
}

export const configurationPoliciesTables = {
  configuration_policies: table<ConfigurationPolicyTable>({
    writtenBy: ['configuration-policies'],
    tenancy: { by: 'none', because: 'of a partner or of an organization; its store brings the rule' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
  config_policy_feature_links: table<ConfigPolicyFeatureLinkTable>({
    writtenBy: ['configuration-policies'],
    tenancy: { by: 'none', because: 'read through its policy' },
    merge: { policy: 'follows-parent', parent: 'configuration_policies' },
    erasure: { goWith: 'reference', to: 'configuration_policies' },
  }),
  config_policy_assignments: table<ConfigPolicyAssignmentTable>({
    writtenBy: ['configuration-policies'],
    tenancy: { by: 'none', because: 'read through its policy, and as far as its target is in reach' },
    merge: { policy: 'custom' },
    erasure: { goWith: 'organization' },
  }),
}
