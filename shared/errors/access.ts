export const accessErrors = {
  insufficient_permissions: { status: 403, error: 'Insufficient permissions' },
  no_permissions: { status: 403, error: 'No permissions found' },
  permission_denied: { status: 403, error: 'Permission denied' },
  MFA_REQUIRED: { status: 403, error: 'MFA required' },
  IP_NOT_ALLOWED: { status: 403, error: 'Access from this address is not allowed' },
  untrusted_ip: { status: 403, error: 'The address of this request can not be trusted' },
  platform_admin_required: { status: 403, error: 'platform admin access required' },
  mfa_policy_would_lock_out_users: { status: 409, error: 'This would lock out people who are enrolled' },
} as const
