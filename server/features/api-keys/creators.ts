import type { Selectable } from 'kysely'
import type { ApiKeyProblem, ApiKeyScope } from '../../../shared/api/api-keys.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Identity } from '../../platform/actor.ts'
import {
  findGrants,
  findMembership,
  findUser,
  membershipIdOf,
  type TenantMembership,
  type User,
  usableMemberships,
} from '../access/index.ts'
import { missingTo } from './scopes.ts'
import type { ApiKeyTable } from './tables.ts'

export type KeyRow = Selectable<ApiKeyTable>
export const scopesOf = ({ scopes }: Pick<KeyRow, 'scopes'>) => JSON.parse(scopes) as ApiKeyScope[]

/** What somebody may do in an organization, by one of their memberships. */
export type Authority = Pick<
  Identity,
  'scope' | 'orgAccess' | 'membershipId' | 'roleId' | 'sites' | 'groups' | 'grants'
>

/** On whose behalf a key acts at this moment, or why it can not. */
export type Backing =
  | { problem: ApiKeyProblem }
  | { problem: null; creator: User; authority: Authority; org: { id: string; partner_id: string } }

/**
 * A key is good for no more than its creator is now: they have to be active, to reach the organization and to hold what
 * each scope takes, and the organization has to be in service.
 */
export function backingOf(db: Database, key: Pick<KeyRow, 'org_id' | 'created_by' | 'scopes'>): Backing {
  const org = db.first(
    q
      .selectFrom('organizations')
      .innerJoin('partners', 'partners.id', 'organizations.partner_id')
      .select(['organizations.id', 'organizations.partner_id'])
      .where('organizations.id', '=', key.org_id)
      .where('organizations.deleted_at', 'is', null)
      .where('organizations.status', 'in', ['active', 'trial'])
      .where('partners.deleted_at', 'is', null)
      .where('partners.status', '=', 'active'),
  )
  if (!org) return { problem: 'organization_inactive' }
  const creator = findUser(db, key.created_by)
  if (creator?.status !== 'active') return { problem: 'creator_inactive' }
  const authorities = authoritiesIn(db, creator, org)
  if (authorities.length === 0) return { problem: 'creator_without_access' }
  const scopes = scopesOf(key)
  const authority = authorities.find((holder) => !missingTo(holder, scopes))
  return authority ? { problem: null, creator, authority, org } : { problem: 'creator_lacks_permission' }
}

/** The nearest to the organization first: that one may confine to sites. */
function authoritiesIn(db: Database, user: User, org: { id: string; partner_id: string }): Authority[] {
  const memberships = usableMemberships(db, user.id, org).filter((membership) => reaches(membership, org.id))
  const nearest = memberships.toSorted((a, b) => Number(a.kind === 'partner') - Number(b.kind === 'partner'))
  if (nearest.length > 0 || findMembership(db, user)?.kind !== 'system')
    return nearest.map((membership) => authorityOf(db, membership))
  const grants = [{ resource: '*', action: '*' }]
  const unconfined = { orgAccess: 'all', sites: null, groups: null } as const
  return [{ scope: 'system', ...unconfined, membershipId: null, roleId: null, grants }]
}

function reaches(membership: TenantMembership, orgId: string): boolean {
  if (membership.kind === 'organization' || membership.org_access === 'all') return true
  return membership.org_access === 'selected' && idsIn(membership.org_ids ?? '[]').includes(orgId)
}

function authorityOf(db: Database, membership: TenantMembership): Authority {
  const isConfined = membership.kind === 'organization'
  return {
    scope: membership.kind,
    orgAccess: isConfined ? 'selected' : membership.org_access,
    membershipId: membershipIdOf(membership),
    roleId: membership.role_id,
    sites: isConfined ? setIn(membership.site_ids) : null,
    groups: isConfined ? setIn(membership.device_group_ids) : null,
    grants: findGrants(db, membership.role_id),
  }
}

const idsIn = (list: string) => JSON.parse(list) as string[]
const setIn = (list: string | null) => (list === null ? null : new Set(idsIn(list)))
