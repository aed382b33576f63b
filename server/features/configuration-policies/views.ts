import type { Selectable } from 'kysely'
import type { ConfigurationPolicy, PolicyAssignment, PolicyLink } from '../../../shared/api/configuration-policies.ts'
import { fromJson } from '../../lib/json.ts'
import type { ConfigPolicyAssignmentTable, ConfigPolicyFeatureLinkTable, ConfigurationPolicyTable } from './tables.ts'

export type PolicyRow = Selectable<ConfigurationPolicyTable>
export type LinkRow = Selectable<ConfigPolicyFeatureLinkTable>
export type AssignmentRow = Selectable<ConfigPolicyAssignmentTable>

export const linkView = (row: LinkRow): PolicyLink => ({
  id: row.id,
  configPolicyId: row.config_policy_id,
  featureType: row.feature_type,
  featurePolicyId: row.feature_policy_id,
  inlineSettings: row.inline_settings === null ? null : fromJson(row.inline_settings),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export const policyView = (
  row: PolicyRow & { org_name: string | null },
  links: readonly LinkRow[],
): ConfigurationPolicy => ({
  id: row.id,
  orgId: row.org_id,
  partnerId: row.partner_id,
  name: row.name,
  description: row.description,
  status: row.status,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  orgName: row.org_name,
  featureLinks: links.map(linkView),
})

export const assignmentView = (
  row: AssignmentRow & { policy_name: string; target_name: string | null },
): PolicyAssignment => ({
  id: row.id,
  configPolicyId: row.config_policy_id,
  policyName: row.policy_name,
  level: row.level,
  targetId: row.target_id,
  targetName: row.target_name,
  priority: row.priority,
  roleFilter: row.role_filter === null ? null : fromJson(row.role_filter),
  osFilter: row.os_filter === null ? null : fromJson(row.os_filter),
  assignedBy: row.assigned_by,
  createdAt: row.created_at,
})
