import { type RawBuilder, sql } from 'kysely'
import type { FoundPerson } from '../../../../shared/api/search.ts'
import { bestFirst, bestNamed } from '../../../db/best-named.ts'
import { byName } from '../../../db/by-name.ts'
import type { Database } from '../../../db/database.ts'
import { contains } from '../../../db/like.ts'
import { isShown } from '../../../db/org-status.ts'
import { q } from '../../../db/query.ts'
import type { Steps } from '../../../lib/pieces.ts'
import { hasWholeTenant, type UserActor } from '../../../platform/actor.ts'
import { actingOrganizationId, actingPartnerId } from '../../../platform/actor-tenant.ts'
import type { Tenant } from '../tenants/tenant-of-call.ts'
import { invitationsTo, ofOrganizations } from './member-store.ts'

/**
 * The best matches, by name and by email, among the people of the caller's tenant and its organizations. An operator, who
 * may name any company, finds those of all.
 */
export function* bestPeople(db: Database, actor: UserActor, text: string, limit: number): Steps<FoundPerson[]> {
  if (!hasWholeTenant(actor)) return []
  const tenant = tenantOf(actor)
  const named = {
    table: 'users',
    names: [
      { column: 'name', index: 'users_name' },
      { column: 'email', index: 'users_email', isLowerCase: true },
    ],
    where: isMember(tenant),
  } as const
  const members = yield* bestNamed(db, named, text, limit, (ids) => peopleWith(db, tenant, ids))
  const invited = tenant ? invitedTo(db, tenant, text, limit) : []
  return bestFirst([...members, ...invited], text).slice(0, limit)
}

/** Null for every company there is. */
function tenantOf(actor: UserActor): Tenant | null {
  if (actor.scope === 'system') return null
  const partnerId = actingPartnerId(actor)
  if (actor.scope === 'partner') return { kind: 'partner', partnerId, isWhole: true }
  return { kind: 'organization', partnerId, orgId: actingOrganizationId(actor) }
}

const isOf = (tenant: Tenant | null, partner: string): RawBuilder<boolean> =>
  tenant
    ? sql`${sql.ref(partner)} = ${tenant.partnerId}`
    : sql`${sql.ref(partner)} in (select id from partners where deleted_at is null)`

const inPartners = (tenant: Tenant | null) =>
  q.selectFrom('partner_users').where(isOf(tenant, 'partner_users.partner_id'))
const inOrganizations = (tenant: Tenant | null) =>
  ofOrganizations(tenant, isShown()).where(isOf(tenant, 'organizations.partner_id'))

function isMember(tenant: Tenant | null): RawBuilder<boolean> {
  const isTheirs = (column: string) => sql<boolean>`${sql.ref(column)} = users.id`
  const ofOrganization = inOrganizations(tenant).select('org_id').where(isTheirs('organization_users.user_id'))
  if (tenant?.kind === 'organization') return sql`exists ${ofOrganization}`
  const ofPartner = inPartners(tenant).select('partner_id').where(isTheirs('partner_users.user_id'))
  return sql`(exists ${ofPartner} or exists ${ofOrganization})`
}

/** Each once, as a member of the partner if they are one, or else of the first organization by name. */
function peopleWith(db: Database, tenant: Tenant | null, ids: readonly string[]): FoundPerson[] {
  const isAmong = (column: string) =>
    sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(ids)}))`
  const organizations = db.all(
    inOrganizations(tenant)
      .select(['user_id', 'organizations.partner_id', 'org_id', 'organizations.name as org_name'])
      .where(isAmong('organization_users.user_id'))
      .orderBy(byName('organizations.name'))
      .orderBy('org_id'),
  )
  const partners = db.all(
    inPartners(tenant).select(['user_id', 'partner_id']).where(isAmong('partner_users.user_id')).orderBy('created_at'),
  )
  const ofPartner =
    tenant?.kind === 'organization' ? [] : partners.map((row) => ({ ...row, org_id: null, org_name: null }))
  const places = Map.groupBy([...ofPartner, ...organizations], ({ user_id }) => user_id)
  const users = db.all(q.selectFrom('users').select(['id', 'name', 'email']).where(isAmong('id')))
  return users.flatMap((user) => {
    const [place] = places.get(user.id) ?? []
    return place ? [{ ...user, partnerId: place.partner_id, orgId: place.org_id, orgName: place.org_name }] : []
  })
}

/** Invited people with an account elsewhere, as the inviter called them. */
function invitedTo(db: Database, tenant: Tenant, text: string, limit: number): FoundPerson[] {
  const [name, email] = [sql.ref('invitations.name'), sql.ref('invitations.email')]
  return db.all(
    invitationsTo(tenant, isShown())
      .select(['invitations.id', 'invitations.name', 'invitations.email', 'invitations.partner_id as partnerId'])
      .select(['invitations.org_id as orgId', 'organizations.name as orgName'])
      .where(sql<boolean>`(${contains(name, text)} or ${contains(email, text)})`)
      .orderBy(byName('invitations.name'))
      .orderBy('invitations.id')
      .limit(limit),
  )
}
