import { type RawBuilder, sql } from 'kysely'
import type { RoleRow } from '../../../../shared/api/roles.ts'
import { byName } from '../../../db/by-name.ts'
import type { Database } from '../../../db/database.ts'
import { isShown } from '../../../db/org-status.ts'
import { q } from '../../../db/query.ts'
import { reachesOrg, type UserActor } from '../../../platform/actor.ts'
import { actingOrganizationId, actingPartnerId } from '../../../platform/actor-tenant.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Role } from '../../access/index.ts'
import { writableOrganization } from '../../organization-access/index.ts'
import { assertFullPartner, type Selector, type Tenant, tenantOf } from '../tenants/tenant-of-call.ts'
import { countChildRoles, countHolders, countSsoProviders, type RoleArea } from './holders.ts'

/**
 * Which roles a caller may see: the built-in ones, which nobody owns, and those of their tenant. Roles of other tenants do
 * not exist for them. `is_system` does not tell them apart: each partner that registered itself has a `Partner Admin`.
 */
export interface RoleFacts extends Role {
  parent_role_name: string | null
  org_name: string | null
}

const selectRoles = () =>
  q
    .selectFrom('roles')
    .leftJoin('roles as parents', 'parents.id', 'roles.parent_role_id')
    .leftJoin('organizations', 'organizations.id', 'roles.org_id')
    .selectAll('roles')
    .select(['parents.name as parent_role_name', 'organizations.name as org_name'])

const roleFacts = (id: string) => selectRoles().where('roles.id', '=', id)

/** @throws Error where there is no such role */
export const getRoleFacts = (db: Database, id: string): RoleFacts => db.one(roleFacts(id))

const hasNoOwner = sql`(roles.partner_id is null and roles.org_id is null)`

/** Built-in roles first, then by name. */
export function listRoles(db: Database, actor: UserActor, selector: Selector): RoleRow[] {
  const tenant = tenantOf(db, actor, selector, 'read')
  const roles = db.all(
    selectRoles()
      .where(isListed(tenant, selector.orgId))
      .orderBy('roles.is_system', 'desc')
      .orderBy(byName('roles.name'))
      .orderBy('roles.id'),
  )
  const [holders, children] = [countHolders(db, tenant), countChildRoles(db, tenant)]
  const providers = countSsoProviders(
    db,
    roles.map(({ id }) => id),
  )
  return roles.map((role) => roleView(role, { holders, children, providers }))
}

function isListed(tenant: Tenant, orgId: string | undefined): RawBuilder<boolean> {
  if (tenant.kind === 'organization')
    return sql`(roles.scope = 'organization' and (${hasNoOwner} or roles.org_id = ${tenant.orgId}))`
  const { partnerId, isWhole } = tenant
  // A partner's own `Partner Admin` takes the place of the built-in one.
  const isReplaced = sql`exists (select 1 from roles as own
    where own.partner_id = ${partnerId} and own.is_system = 1 and own.name = roles.name)`
  const ofPartner = sql`(roles.scope = 'partner' and (roles.partner_id = ${partnerId} or (${hasNoOwner} and not ${isReplaced})))`
  const ofOrganizations = sql`roles.org_id in (select owners.id from organizations as owners
    where owners.partner_id = ${partnerId} and ${isShown('owners')})`
  if (isWhole) return sql`(${ofPartner} or ${ofOrganizations} or (roles.scope = 'organization' and ${hasNoOwner}))`
  if (orgId === undefined) return sql`${ofPartner}`
  return sql`(${ofPartner} or (roles.org_id = ${orgId} and ${ofOrganizations}))`
}

/** @throws AppError `role_not_found`, also for a role of another tenant */
export function findRoleToRead(db: Database, actor: UserActor, id: string, selector: Selector): RoleFacts {
  const role = findSeen(db, actor, id, selector)
  if (role.org_id !== null && !reachesOrg(actor, role.org_id)) throw new AppError('role_not_found')
  return role
}

/**
 * As `findRoleToRead`, inside the transaction that changes the role.
 * @throws AppError 409 where its organization is frozen
 */
export function findRoleToWrite(db: Database, actor: UserActor, id: string, selector: Selector): RoleFacts {
  const role = findSeen(db, actor, id, selector)
  if (role.org_id !== null) writableOrganization(db, actor, role.org_id, 'role_not_found')
  return role
}

function findSeen(db: Database, actor: UserActor, id: string, selector: Selector): RoleFacts {
  assertFullPartner(actor)
  const role = db.first(roleFacts(id))
  if (!role || !isSeen(actor, role, selector)) throw new AppError('role_not_found')
  return role
}

export const isBuiltIn = ({ partner_id, org_id }: Role): boolean => partner_id === null && org_id === null

function isSeen(actor: UserActor, role: Role, { orgId }: Selector): boolean {
  switch (actor.scope) {
    case 'system':
      return true
    case 'organization':
      return isBuiltIn(role) ? role.scope === 'organization' : role.org_id === actor.orgId
    case 'partner':
      // Roles of an organization are visible in calls that name the organization.
      return isBuiltIn(role) || role.partner_id === actor.partnerId || (role.org_id !== null && role.org_id === orgId)
  }
}

/**
 * Where the holders of a role are counted: in the tenant that owns it; for a built-in role in the caller's tenant or the
 * one they name. Null, which means everywhere, for an operator who names none.
 */
export function areaOf(actor: UserActor, role: Role, selector: Selector): RoleArea | null {
  const { orgId, partnerId } = selector
  if (role.org_id !== null) return { kind: 'organization', orgId: role.org_id }
  if (role.partner_id !== null) return { kind: 'partner', partnerId: role.partner_id }
  switch (actor.scope) {
    case 'organization':
      return { kind: 'organization', orgId: actingOrganizationId(actor) }
    case 'partner':
      return role.scope === 'organization' && orgId !== undefined && reachesOrg(actor, orgId)
        ? { kind: 'organization', orgId }
        : { kind: 'partner', partnerId: actingPartnerId(actor) }
    case 'system':
      if (partnerId !== undefined) return { kind: 'partner', partnerId }
      return orgId === undefined ? null : { kind: 'organization', orgId }
  }
}

/** Numbers by role id. */
type Counts = Record<'holders' | 'children' | 'providers', ReadonlyMap<string, number>>

export const roleView = (role: RoleFacts, { holders, children, providers }: Counts): RoleRow => ({
  id: role.id,
  name: role.name,
  description: role.description,
  scope: role.scope,
  isSystem: role.is_system === 1,
  forceMfa: role.force_mfa === 1,
  parentRoleId: role.parent_role_id,
  parentRoleName: role.parent_role_name,
  orgId: role.org_id,
  orgName: role.org_name,
  createdAt: role.created_at,
  updatedAt: role.updated_at,
  userCount: holders.get(role.id) ?? 0,
  childRoleCount: children.get(role.id) ?? 0,
  ssoProviderCount: providers.get(role.id) ?? 0,
})
