import type { Database } from '../../../db/database.ts'
import { membershipDetailsOf } from '../memberships/details.ts'
import type { User } from '../users/store.ts'
import { findSsoOwner, type SsoOwner } from './sso-providers.ts'

type Account = Pick<User, 'id' | 'is_platform_admin'>

/** Whether an account gives access to more than the tenant that owns an identity provider. */
export const reachesBeyondOwner = (
  db: Database,
  { orgId, partnerId }: SsoOwner,
  { id, is_platform_admin }: Account,
): boolean =>
  is_platform_admin === 1 ||
  membershipDetailsOf(db, id).some((one) => (orgId === null ? one.partnerId !== partnerId : one.orgId !== orgId))

/**
 * Whether an account gives access to more than the tenant of the identity provider that vouched for a session or a
 * request. That provider must then not decide about the password, the factors or the address of the account. False for
 * null.
 */
export function reachesBeyondProvider(db: Database, user: Account, providerId: string | null): boolean {
  if (providerId === null) return false
  const owner = findSsoOwner(db, providerId)
  return !owner || reachesBeyondOwner(db, owner, user)
}
