import type { UserActor } from '../../../platform/actor.ts'
import type { User } from '../users/store.ts'
import type { Membership } from './membership.ts'

/**
 * Whether a platform admin acts as one in this session. The identity provider of an organization vouches for its members
 * there, and cannot open the administration of the whole appliance.
 */
export const isPlatformAdminIn = (
  user: Pick<User, 'is_platform_admin'>,
  membership: Membership,
  providerId: string | null,
): boolean => user.is_platform_admin === 1 && !(providerId !== null && membership.kind === 'organization')

/** Whether the caller administers the whole appliance. */
export const isOperator = ({ scope, isPlatformAdmin }: UserActor): boolean => scope === 'system' || isPlatformAdmin
