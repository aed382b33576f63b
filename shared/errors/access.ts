import type { Refusals } from './refusals.ts'

export const accessErrors = {
  insufficient_permissions: {
    status: 403,
    error: 'Insufficient permissions',
    onScreen: 'Your role doesn’t allow this.',
  },
  no_permissions: { status: 403, error: 'No permissions found', onScreen: 'You don’t have a role.' },
  permission_denied: { status: 403, error: 'Permission denied', onScreen: 'Your role doesn’t allow this.' },
  MFA_REQUIRED: { status: 403, error: 'MFA required', onScreen: 'This requires your second factor.' },
  IP_NOT_ALLOWED: {
    status: 403,
    error: 'Access from this address is not allowed',
    onScreen: 'Your company doesn’t allow access from your network.',
  },
  untrusted_ip: {
    status: 403,
    error: 'The address of this request cannot be trusted',
    onScreen: 'Homeport can’t tell where you are, and your company only allows access from some networks.',
  },
  platform_admin_required: {
    status: 403,
    error: 'platform admin access required',
    onScreen: 'Only platform administrators can do this.',
  },
  mfa_policy_would_lock_out_users: {
    status: 409,
    error: 'This would lock out people who are enrolled',
    onScreen: 'Some people could no longer sign in: this is their only second factor.',
  },
} as const satisfies Refusals
