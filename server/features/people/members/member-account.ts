import type { Invitation, User } from '../../access/index.ts'

/** What lists of users show of an account. */
export type MemberAccount = Pick<
  User,
  | 'id'
  | 'email'
  | 'name'
  | 'status'
  | 'avatar_url'
  | 'is_platform_admin'
  | 'last_login_at'
  | 'mfa_enabled'
  | 'mfa_secret'
  | 'mfa_method'
  | 'phone_number'
  | 'phone_verified'
  | 'mfa_epoch'
  | 'mfa_enrollment_deadline'
  | 'mfa_enrollment_grace_granted_at'
  | 'mfa_reset_at'
>

/**
 * What an inviter sees of an existing account before it accepts: the same as for an address without an account. Nothing of
 * the real account shows, not even its id.
 */
export const placeholderAccount = ({ id, email, name }: Invitation): MemberAccount => ({
  id,
  email,
  name,
  status: 'invited',
  avatar_url: null,
  is_platform_admin: 0,
  last_login_at: null,
  mfa_enabled: 0,
  mfa_secret: null,
  mfa_method: null,
  phone_number: null,
  phone_verified: 0,
  mfa_epoch: 1,
  mfa_enrollment_deadline: null,
  mfa_enrollment_grace_granted_at: null,
  mfa_reset_at: null,
})
