import type { Generated } from 'kysely'
import type { Scope } from '../../../shared/endpoint.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface UserTable {
  id: string
  email: string
  name: string
  password_hash: string | null
  mfa_secret: string | null
  mfa_enabled: Generated<Flag>
  /** Keyed hashes of the codes that are left. */
  mfa_recovery_codes: JsonText<string[]> | null
  mfa_method: 'totp' | 'sms' | 'passkey' | null
  phone_number: string | null
  phone_verified: Generated<Flag>
  status: 'active' | 'invited' | 'disabled'
  avatar_url: string | null
  is_platform_admin: Generated<Flag>
  preferences: Generated<JsonText<Record<string, unknown>>>
  auth_epoch: Generated<number>
  mfa_epoch: Generated<number>
  setup_completed_at: string | null
  email_verified_at: string | null
  last_login_at: string | null
  password_changed_at: string | null
  created_at: string
  updated_at: string
  disabled_reason: string | null
  email_epoch: Generated<number>
  password_reset_epoch: Generated<number>
  pending_email: string | null
  pending_email_requested_at: string | null
  mfa_enrollment_grace_granted_at: string | null
  mfa_enrollment_deadline: string | null
  mfa_enrollment_notice_sent_at: string | null
  mfa_enrollment_reminded_at: string | null
  last_membership_id: string | null
  mfa_reset_at: string | null
}

export interface RoleTable {
  id: string
  partner_id: string | null
  org_id: string | null
  parent_role_id: string | null
  scope: Scope
  name: string
  description: string | null
  is_system: Generated<Flag>
  force_mfa: Generated<Flag>
  created_at: string
  updated_at: string
}

export interface PermissionTable {
  id: string
  resource: string
  action: string
  description: string | null
}

export interface RolePermissionTable {
  role_id: string
  permission_id: string
  constraints: string | null
}

export interface PartnerUserTable {
  id: string
  partner_id: string
  user_id: string
  role_id: string
  org_access: 'all' | 'selected' | 'none'
  org_ids: JsonText<string[]> | null
  created_at: string
  /** A new row gets its `created_at`. */
  updated_at: Generated<string>
}

export interface OrganizationUserTable {
  id: string
  org_id: string
  user_id: string
  role_id: string
  site_ids: JsonText<string[]> | null
  device_group_ids: JsonText<string[]> | null
  created_at: string
  /** A new row gets its `created_at`. */
  updated_at: Generated<string>
}

/** What an account that exists was offered and has not accepted. */
export interface InvitationTable {
  id: string
  user_id: string
  partner_id: string
  org_id: string | null
  role_id: string
  org_access: 'all' | 'selected' | 'none' | null
  org_ids: JsonText<string[]> | null
  site_ids: JsonText<string[]> | null
  device_group_ids: JsonText<string[]> | null
  email: string
  name: string
  inviter_name: string
  expires_at: string
  created_at: string
  updated_at: string
}

export const accessTables = {
  users: table<UserTable>({
    writtenBy: ['access'],
    tenancy: { by: 'none', because: 'an identity belongs to no tenant; it is reached through a membership' },
    merge: { policy: 'none', because: 'an identity belongs to no tenant' },
    erasure: { stay: 'an identity belongs to no tenant' },
  }),
  roles: table<RoleTable>({
    writtenBy: ['access'],
    tenancy: { by: 'none', because: 'read through a membership' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization', parent: 'parent_role_id' },
  }),
  permissions: table<PermissionTable>({
    writtenBy: ['access'],
    tenancy: { by: 'none', because: 'the catalogue is the same for everybody' },
    merge: { policy: 'none', because: 'the catalogue is the same for everybody' },
    erasure: { stay: 'the catalogue is the same for everybody' },
  }),
  role_permissions: table<RolePermissionTable>({
    writtenBy: ['access'],
    tenancy: { by: 'none', because: 'read through a role' },
    merge: { policy: 'follows-parent', parent: 'roles' },
    erasure: { goWith: 'reference', to: 'roles' },
  }),
  partner_users: table<PartnerUserTable>({
    writtenBy: ['access'],
    tenancy: { by: 'none', because: 'read by the partner in the session' },
    merge: { policy: 'none', because: 'the last step puts the survivor into their lists' },
    erasure: { stay: 'the last step takes the organization out of their lists' },
  }),
  organization_users: table<OrganizationUserTable>({
    writtenBy: ['access'],
    tenancy: { by: 'none', because: 'read by the user in the session' },
    merge: { policy: 'custom' },
    erasure: { goWith: 'organization' },
  }),
  invitations: table<InvitationTable>({
    writtenBy: ['access'],
    tenancy: { by: 'none', because: 'read by the tenant that is meant, or by the invited user in the session' },
    merge: { policy: 'dedupe', same: ['user_id'] },
    erasure: { goWith: 'organization' },
  }),
}
