import { type RawBuilder, sql } from 'kysely'
import type { RoleRow } from '../../../../shared/api/roles.ts'
import { byName } from '../../../db/by-name.ts'
import type { Database } from '../../../db/database.ts'
import { isShown } from '../../../db/org-status.ts'
import { q } from '../../../db/query.ts'
import { reachesOrg, type UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import { writableOrganization } from '../../organization-access/index.ts'
import { assertFullPartner, type Selector, type Tenant, tenantOf } from '../tenants/tenant-of-call.ts'
import type { Role } from '../../access/users/store.ts'
import { countHeirs, countHolders, countSsoProviders, type Place } from './holders.ts'

/**
 * Which roles somebody may see: those of the appliance, which nobody owns, and those of their tenant. A role of another
 * tenant does not exist; `is_system` says nothing, for every company that registered has a `Partner Admin` of its own.
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

export const findRoleFacts = (db: Database, id: string): RoleFacts | undefined =>
  db.first(selectRoles().where('roles.id', '=', id))

const ofAppliance = sql`(roles.partner_id is null and roles.org_id is null)`

/** Those of the appliance first, then by name. */
export function listRoles(db: Database, actor: UserActor, selector: Selector): RoleRow[] {
  const tenant = tenantOf(db, actor, selector, 'read')
  const roles = db.all(
    selectRoles()
      .where(isListed(tenant, selector.orgId))
      .orderBy('roles.is_system', 'desc')
      .orderBy(byName('roles.name'))
      .orderBy('roles.id'),
  )
  const [holders, heirs] = [countHolders(db, tenant), countHeirs(db, tenant)]
  const providers = countSsoProviders(
    db,
    roles.map(({ id }) => id),
  )
  return roles.map((role) => roleView(role, { holders, heirs, providers }))
}

function isListed(tenant: Tenant, orgId: string | undefined): RawBuilder<boolean> {
  if (tenant.kind === 'organization')
    return sql`(roles.scope = 'organization' and (${ofAppliance} or roles.org_id = ${tenant.orgId}))`
  const { partnerId, isWhole } = tenant
  // The own `Partner Admin` of a company stands for the one that nobody owns.
  const isEclipsed = sql`exists (select 1 from roles as own
    where own.partner_id = ${partnerId} and own.is_system = 1 and own.name = roles.name)`
  const ofPartner = sql`(roles.scope = 'partner' and (roles.partner_id = ${partnerId} or (${ofAppliance} and not ${isEclipsed})))`
  const ofOrganizations = sql`roles.org_id in (select owners.id from organizations as owners
    where owners.partner_id = ${partnerId} and ${isShown('owners')})`
  if (isWhole) return sql`(${ofPartner} or ${ofOrganizations} or (roles.scope = 'organization' and ${ofAppliance}))`
  if (orgId === undefined) return sql`${ofPartner}`
  return sql`(${ofPartner} or (roles.org_id = ${orgId} and ${ofOrganizations}))`
}

/** @throws AppError `role_not_found` for a role of another tenant, as for one that is none */
export function findRoleToRead(db: Database, actor: UserActor, id: string, selector: Selector): RoleFacts {
  const role = findSeen(db, actor, id, selector)
  if (role.org_id !== null && !reachesOrg(actor, role.org_id)) throw new AppError('role_not_found')
  return role
}

/** As `findRoleToRead`, inside the transaction that changes it; 409 where its organization is frozen. */
export function findRoleToWrite(db: Database, actor: UserActor, id: string, selector: Selector): RoleFacts {
  const role = findSeen(db, actor, id, selector)
  if (role.org_id !== null) writableOrganization(db, actor, role.org_id, 'role_not_found')
  return role
}

function findSeen(db: Database, actor: UserActor, id: string, selector: Selector): RoleFacts {
  assertFullPartner(actor)
  const role = findRoleFacts(db, id)
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
      // Whoever looks after many organizations says which one is meant.
      return isBuiltIn(role) || role.partner_id === actor.partnerId || (role.org_id !== null && role.org_id === orgId)
  }
}

/**
 * Where the people are whom a call about a role is about: where the role belongs, for one of the appliance in the
 * caller's tenant or the one they name. Null: anywhere, for a caller above all tenants who names none.
 */
export function placeOf(actor: UserActor, role: Role, selector: Selector): Place | null {
  const { orgId, partnerId } = selector
  if (role.org_id !== null) return { kind: 'organization', orgId: role.org_id }
  if (role.partner_id !== null) return { kind: 'partner', partnerId: role.partner_id }
  switch (actor.scope) {
    case 'organization':
      return { kind: 'organization', orgId: actor.orgId as string }
    case 'partner':
      return role.scope === 'organization' && orgId !== undefined && reachesOrg(actor, orgId)
        ? { kind: 'organization', orgId }
        : { kind: 'partner', partnerId: actor.partnerId as string }
    case 'system':
      if (partnerId !== undefined) return { kind: 'partner', partnerId }
      return orgId === undefined ? null : { kind: 'organization', orgId }
  }
}

/** How many there are of each, by role. */
type Counts = Record<'holders' | 'heirs' | 'providers', ReadonlyMap<string, number>>

export const roleView = (role: RoleFacts, { holders, heirs, providers }: Counts): RoleRow => ({
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
  childRoleCount: heirs.get(role.id) ?? 0,
  ssoProviderCount: providers.get(role.id) ?? 0,
})
