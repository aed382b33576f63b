import type { Selectable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import type { Tables } from '../../../tables.ts'
import type { Membership, TenantMembership } from '../memberships/membership.ts'
import { findMembership } from '../memberships/usable.ts'
import type { User } from '../users/store.ts'
import { enforcesSso, findSsoOwner, ssoOwnerOf } from './sso-providers.ts'

/**
 * Which memberships can be entered where a tenant enforces single sign-on. A passkey counts like a password: a user whom
 * the identity provider no longer admits must not sign in by either.
 */

type Account = Pick<User, 'id' | 'is_platform_admin'>
/** What of a session decides where it may work. */
type SessionOrigin = Pick<Selectable<Tables['sessions']>, 'membership_id' | 'sso_provider_id'>

/** Operators sign in with a password whatever identity providers there are. */
export const acceptsPassword = (db: Database, membership: Membership): boolean =>
  membership.kind === 'system' || !enforcesSso(db, ssoOwnerOf(membership))

/**
 * The membership a sign-in with a password or a passkey lands in: the first whose tenant accepts passwords and for which
 * `isAllowed` is true, so that no tenant can keep a user out of another one.
 * @param providerId the identity provider on whose word alone a passkey was registered; it may not reach further
 */
export function findPasswordMembership(
  db: Database,
  user: Account,
  providerId: string | null = null,
  isAllowed: (to: TenantMembership) => boolean = () => true,
): Membership | null {
  const origin = { membership_id: null, sso_provider_id: providerId }
  const isOpen = (to: TenantMembership) => acceptsPassword(db, to) && maySwitchTo(db, origin, to) && isAllowed(to)
  return findMembershipFor(db, user, origin, isOpen)
}

/** Whether the user could work somewhere, but no tenant of theirs accepts a password. */
export const isPasswordClosed = (db: Database, user: Account): boolean =>
  findPasswordMembership(db, user) === null && findMembership(db, user) !== null

/**
 * Whether a session may move to another membership of its user. One begun with a password may move where passwords are
 * accepted. One begun through an identity provider stays with the owner of that provider: an organization must not obtain
 * what one of its members may do for the whole partner, or for other partners.
 */
export function maySwitchTo(
  db: Database,
  session: Pick<SessionOrigin, 'sso_provider_id'>,
  to: TenantMembership,
): boolean {
  if (session.sso_provider_id === null) return acceptsPassword(db, to)
  const provider = findSsoOwner(db, session.sso_provider_id)
  if (to.kind === 'organization' && provider?.orgId === to.org_id) return true
  return provider?.partnerId === to.partner_id && (to.kind === 'partner' || acceptsPassword(db, to))
}

/** The membership a session works in: its own, or, once that cannot be used, the first one it may move to. */
export const membershipOfSession = (db: Database, user: Account, session: SessionOrigin): Membership | null =>
  findMembershipFor(db, user, session, (to) => maySwitchTo(db, session, to))

/** As `findMembership`, except that an identity provider makes nobody an operator. */
function findMembershipFor(
  db: Database,
  user: Account,
  { membership_id, sso_provider_id }: SessionOrigin,
  isAllowed: (to: TenantMembership) => boolean,
): Membership | null {
  const membership = findMembership(db, user, membership_id, isAllowed)
  return membership?.kind === 'system' && sso_provider_id !== null ? null : membership
}
