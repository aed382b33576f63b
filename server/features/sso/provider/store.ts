import type { Selectable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { SsoProviderTable, SsoSessionTable } from '../tables.ts'
import type { ProviderOwner } from './owner.ts'

export type Provider = Selectable<SsoProviderTable>
/** An authorization request (OpenID Connect): a user who was sent to an identity provider and has not come back yet. */
export type AuthorizationRequest = Selectable<SsoSessionTable>

export const findProvider = (db: Database, id: string): Provider | undefined =>
  db.first(q.selectFrom('sso_providers').selectAll().where('id', '=', id))

/** @throws Error where there is no such provider */
export const getProvider = (db: Database, id: string): Provider =>
  db.one(q.selectFrom('sso_providers').selectAll().where('id', '=', id))

export function ownerOf({ org_id, partner_id }: Pick<Provider, 'org_id' | 'partner_id'>): ProviderOwner {
  if (org_id !== null && partner_id === null) return { orgId: org_id, partnerId: null }
  if (partner_id !== null && org_id === null) return { orgId: null, partnerId: partner_id }
  throw new Error('an identity provider is of an organization or of a partner')
}

/** Whether members of the owner can sign in at all: the partner is active, and the organization active or on trial. */
export function isOwnerUsable(db: Database, { orgId, partnerId }: ProviderOwner): boolean {
  const partners = q
    .selectFrom('partners')
    .where('partners.status', '=', 'active')
    .where('partners.deleted_at', 'is', null)
  if (orgId === null) return db.first(partners.select('partners.id').where('partners.id', '=', partnerId)) !== undefined
  const organization = partners
    .innerJoin('organizations', 'organizations.partner_id', 'partners.id')
    .select('organizations.id')
    .where('organizations.id', '=', orgId)
    .where('organizations.deleted_at', 'is', null)
    .where('organizations.status', 'in', ['active', 'trial'])
  return db.first(organization) !== undefined
}

/** Context a client secret is encrypted with, so that it cannot be decrypted for another provider. */
export const secretContext = (providerId: string): string => `sso_providers.client_secret ${providerId}`

/** The subject of an audit event about a provider. */
export const aboutProvider = ({ id, name, org_id, partner_id }: Provider) => ({
  resourceType: 'sso_provider',
  resourceId: id,
  resourceName: name,
  orgId: org_id,
  ...(partner_id !== null && { partnerId: partner_id }),
})
