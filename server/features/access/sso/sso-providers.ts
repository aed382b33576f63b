import type { Selectable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Tables } from '../../../tables.ts'
import type { TenantMembership } from '../memberships/membership.ts'

/** Whose identity providers are meant: an organization's (`partnerId` null) or a partner's (`orgId` null). */
export interface SsoOwner {
  orgId: string | null
  partnerId: string | null
}

export const ssoOwnerOf = (membership: TenantMembership): SsoOwner =>
  membership.kind === 'partner'
    ? { orgId: null, partnerId: membership.partner_id }
    : { orgId: membership.org_id, partnerId: null }

export const findSsoOwner = (db: Database, providerId: string): SsoOwner | undefined =>
  db.first(
    q.selectFrom('sso_providers').select(['org_id as orgId', 'partner_id as partnerId']).where('id', '=', providerId),
  )

const activeProviders = ({ orgId, partnerId }: SsoOwner) =>
  q
    .selectFrom('sso_providers')
    .where('status', '=', 'active')
    .where(orgId === null ? 'partner_id' : 'org_id', '=', orgId ?? partnerId)

/** Whether members of this tenant may sign in through its identity provider only. */
export const enforcesSso = (db: Database, owner: SsoOwner): boolean =>
  db.first(activeProviders(owner).select('id').where('type', '=', 'oidc').where('enforce_sso', '=', 1)) !== undefined

/** The provider that a tenant's sign-in page offers. Wherever one of several has to be named, it is this one. */
export const oldestActiveProvider = (db: Database, owner: SsoOwner): Selectable<Tables['sso_providers']> | undefined =>
  db.first(activeProviders(owner).selectAll().orderBy('created_at').orderBy('id'))

export interface SsoLogin {
  providerName: string
  /** Path of the endpoint that sends the browser to the provider. */
  loginUrl: string
}

/** How members of a tenant sign in through its identity provider; null where it has none that can be used. */
export function ssoLoginOf(db: Database, owner: SsoOwner): SsoLogin | null {
  const provider = oldestActiveProvider(db, owner)
  if (provider?.type !== 'oidc') return null
  const target = owner.orgId ?? `partner/${owner.partnerId}`
  return { providerName: provider.name, loginUrl: `/api/v1/sso/login/${target}` }
}

/** Where the user of a session signs in again; null unless an identity provider that is still active began it. */
export function ssoLoginUrlOf(
  db: Database,
  { sso_provider_id }: Pick<Selectable<Tables['sessions']>, 'sso_provider_id'>,
): string | null {
  const owner = sso_provider_id === null ? undefined : findSsoOwner(db, sso_provider_id)
  return (owner && ssoLoginOf(db, owner)?.loginUrl) ?? null
}
