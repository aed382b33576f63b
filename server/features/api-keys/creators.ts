import type { Selectable } from 'kysely'
import type { ApiKeyProblem } from '../../../shared/api/api-keys.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson, type JsonText } from '../../lib/json.ts'
import type { Identity } from '../../platform/actor.ts'
import {
  findGrants,
  findMembership,
  findUser,
  membershipIdOf,
  parseIdList,
  type TenantMembership,
  type User,
  usableMemberships,
} from '../access/index.ts'
import { missingPermission } from './scopes.ts'
import type { ApiKeyTable } from './tables.ts'

export type KeyRow = Selectable<ApiKeyTable>

/** What a user may do in an organization, by one of their memberships. */
export type Authority = Pick<
  Identity,
  'scope' | 'orgAccess' | 'membershipId' | 'roleId' | 'sites' | 'groups' | 'grants'
>

/** On whose behalf a key acts at this moment, or why it cannot act. */
export type Backing =
  | { problem: ApiKeyProblem }
  | { problem: null; creator: User; authority: Authority; org: { id: string; partner_id: string } }

/**
 * A key may do no more than its creator may now: the creator must be active, reach the organization and hold the
 * permissions behind each scope, and the organization must be active.
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
  const scopes = fromJson(key.scopes)
  const authority = authorities.find((holder) => !missingPermission(holder, scopes))
  return authority ? { problem: null, creator, authority, org } : { problem: 'creator_lacks_permission' }
}

/** Memberships of the organization itself first: they may be confined to sites. */
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
  return membership.org_access === 'selected' && parseIdList(membership.org_ids)?.includes(orgId) === true
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

const setIn = (list: JsonText<string[]> | null) => (list === null ? null : new Set(fromJson(list)))
