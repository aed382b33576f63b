import type { Selectable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Tables } from '../../../tables.ts'
import { placesOf } from '../memberships/places.ts'
import { findMembership, type Membership, type Session, type TenantMembership, type User } from '../store.ts'

/**
 * Where an identity provider is the only way in. A passkey is as local as a password: whoever the
 * identity provider does not let in any more shall not come in by either.
 */

/** An organization, or a whole company. */
export interface SsoOwner {
  orgId: string | null
  partnerId: string | null
}

export const ssoOwnerOf = (membership: TenantMembership): SsoOwner =>
  membership.kind === 'partner'
    ? { orgId: null, partnerId: membership.partner_id }
    : { orgId: membership.org_id, partnerId: null }

const activeProviders = ({ orgId, partnerId }: SsoOwner) =>
  q
    .selectFrom('sso_providers')
    .where('status', '=', 'active')
    .where(orgId === null ? 'partner_id' : 'org_id', '=', orgId ?? partnerId)

/** Whether the people of this organization or company sign in through its identity provider only. */
export const enforcesSso = (db: Database, owner: SsoOwner): boolean =>
  db.first(activeProviders(owner).select('id').where('type', '=', 'oidc').where('enforce_sso', '=', 1)) !== undefined

export interface SsoEntrance {
  providerName: string
  loginUrl: string
}

/** The one through which its people sign in; wherever one of several has to be named, it is this one (§2). */
export const oldestActiveProvider = (db: Database, owner: SsoOwner): Selectable<Tables['sso_providers']> | undefined =>
  db.first(activeProviders(owner).selectAll().orderBy('created_at').orderBy('id'))

/** Where those people sign in; null where that leads nowhere. */
export function ssoEntranceOf(db: Database, owner: SsoOwner): SsoEntrance | null {
  const provider = oldestActiveProvider(db, owner)
  if (provider?.type !== 'oidc') return null
  const target = owner.orgId ?? `partner/${owner.partnerId}`
  return { providerName: provider.name, loginUrl: `/api/v1/sso/login/${target}` }
}

/** Operators of the appliance get in whatever identity providers do. */
export const takesPassword = (db: Database, membership: Membership): boolean =>
  membership.kind === 'system' || !enforcesSso(db, ssoOwnerOf(membership))

/**
 * Where a password lands: in the first tenant that takes one and `admits` the sign-in, so that none can shut somebody
 * out of another. A passkey, too; one that was made by the word of an identity provider goes no further than that.
 */
export function findPasswordMembership(
  db: Database,
  user: Pick<User, 'id' | 'is_platform_admin'>,
  providerId: string | null = null,
  admits: (to: TenantMembership) => boolean = () => true,
): Membership | null {
  const session = { membership_id: null, sso_provider_id: providerId }
  const mayLandIn = (to: TenantMembership) => takesPassword(db, to) && mayGoOver(db, session, to) && admits(to)
  return findVouchedMembership(db, user, session, mayLandIn)
}

/** Everywhere somebody could work, their password is good for nothing. */
export const isPasswordClosed = (db: Database, user: Pick<User, 'id' | 'is_platform_admin'>): boolean =>
  findPasswordMembership(db, user) === null && findMembership(db, user) !== null

const findOwner = (db: Database, providerId: string): SsoOwner | undefined =>
  db.first(
    q.selectFrom('sso_providers').select(['org_id as orgId', 'partner_id as partnerId']).where('id', '=', providerId),
  )

/** Whether an account opens more than this owner could give. */
export const reachesBeyond = (
  db: Database,
  { orgId, partnerId }: SsoOwner,
  { id, is_platform_admin }: Pick<User, 'id' | 'is_platform_admin'>,
): boolean =>
  is_platform_admin === 1 ||
  placesOf(db, id).some((place) => (orgId === null ? place.partnerId !== partnerId : place.orgId !== orgId))

/**
 * Whether an account opens more than the identity provider answers for that vouches for a session, or for what was asked
 * for in one: it then has no say in what the account is guarded by. False without a provider.
 */
export function reachesBeyondProvider(db: Database, user: User, providerId: string | null): boolean {
  if (providerId === null) return false
  const owner = findOwner(db, providerId)
  return !owner || reachesBeyond(db, owner, user)
}

/** Where whoever came through an identity provider goes to be asked again; null for a provider that is off or gone. */
export function ssoReturnOf(db: Database, { sso_provider_id }: Pick<Session, 'sso_provider_id'>): string | null {
  const owner = sso_provider_id === null ? undefined : findOwner(db, sso_provider_id)
  return (owner && ssoEntranceOf(db, owner)?.loginUrl) ?? null
}

/**
 * Whether a session may go over to another membership of its user. One that a password began may not where passwords are
 * closed. One that an identity provider vouches for stays with whom that provider belongs to: an organization must not
 * come by what one of its people may do for the whole company, or for others.
 */
export function mayGoOver(db: Database, session: Pick<Session, 'sso_provider_id'>, to: TenantMembership): boolean {
  if (session.sso_provider_id === null) return takesPassword(db, to)
  const provider = findOwner(db, session.sso_provider_id)
  if (to.kind === 'organization' && provider?.orgId === to.org_id) return true
  return provider?.partnerId === to.partner_id && (to.kind === 'partner' || takesPassword(db, to))
}

/** The membership a session works in: its own, or, once that is closed, the first it may go over to. */
export const membershipOfSession = (db: Database, user: User, session: Session): Membership | null =>
  findVouchedMembership(db, user, session, (to) => mayGoOver(db, session, to))

/** As `findMembership`; an identity provider makes nobody an operator. */
function findVouchedMembership(
  db: Database,
  user: Pick<User, 'id' | 'is_platform_admin'>,
  { membership_id, sso_provider_id }: Pick<Session, 'membership_id' | 'sso_provider_id'>,
  mayLandIn: (to: TenantMembership) => boolean,
): Membership | null {
  const membership = findMembership(db, user, membership_id, mayLandIn)
  return membership?.kind === 'system' && sso_provider_id !== null ? null : membership
}
