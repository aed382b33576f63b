import type { Refusals } from './refusals.ts'

export const accessErrors = {
  insufficient_permissions: {
    status: 403,
    error: 'Insufficient permissions',
    onScreen: 'Your role does not allow this.',
  },
  no_permissions: { status: 403, error: 'No permissions found', onScreen: 'No role is assigned to you.' },
  permission_denied: { status: 403, error: 'Permission denied', onScreen: 'Your role does not allow this.' },
  MFA_REQUIRED: { status: 403, error: 'MFA required', onScreen: 'This needs your second factor.' },
  IP_NOT_ALLOWED: {
    status: 403,
    error: 'Access from this address is not allowed',
    onScreen: 'Your company does not allow access from where you are.',
  },
  untrusted_ip: {
    status: 403,
    error: 'The address of this request can not be trusted',
    onScreen: 'Homeport can not tell where you are, and your company allows access from some places only.',
  },
  platform_admin_required: {
    status: 403,
    error: 'platform admin access required',
    onScreen: 'Only a platform administrator may do this.',
  },
  mfa_policy_would_lock_out_users: {
    status: 409,
    error: 'This would lock out people who are enrolled',
    onScreen: 'Some people could not sign in any more: this is the only factor they have.',
  },
} as const satisfies Refusals
