import type { Membership, User } from '../users/store.ts'

/**
 * Whether somebody is a platform admin in a session. An organization's identity provider says who they are there, and
 * makes nobody an administrator of the appliance.
 */
export const isPlatformAdminIn = (
  user: Pick<User, 'is_platform_admin'>,
  membership: Membership,
  providerId: string | null,
): boolean => user.is_platform_admin === 1 && !(providerId !== null && membership.kind === 'organization')
