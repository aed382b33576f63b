import type { DefaultRoleProblem } from '../../../../shared/api/sso-providers.ts'
import { type Grant, grantName } from '../../../../shared/permissions.ts'
import type { SsoErrorCode } from '../../../../shared/sso-codes.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import {
  findGrants,
  findMembership,
  findRole,
  findUser,
  firstGrantBeyond,
  parseIdList,
  type TenantMembership,
  type User,
  usableMemberships,
} from '../../access/index.ts'
import type { ProviderOwner } from '../provider/owner.ts'
import { ownerOf, type Provider } from '../provider/store.ts'

/**
 * The role of users whom a sign-in creates. The administrator who chooses it gives away all that it grants, so they must
 * hold that, both when they choose it and when a user is created.
 */

/** @throws AppError for a role of another tenant, or one that grants what the caller does not hold */
export function assertMayConfer(db: Database, actor: UserActor, owner: ProviderOwner, roleId: string): void {
  if (!isRoleOf(db, owner, roleId))
    throw new AppError(owner.orgId === null ? 'sso_role_not_of_partner' : 'sso_role_not_of_organization')
  const missing = firstGrantBeyond(actor, findGrants(db, roleId))
  if (!missing) return
  const error = `The default role permits ${grantName(missing)}, which you do not have`
  throw new AppError('sso_role_beyond_caller', { error, message: error, permission: grantName(missing) })
}

export interface NotProvisionable {
  reason: DefaultRoleProblem
  /** The code the browser is redirected with. */
  code: SsoErrorCode
}

/** Why no user can be created with the default role of this provider at present; null where one can. */
export function whyNotProvisionable(db: Database, provider: Provider): NotProvisionable | null {
  const reason = problemOf(db, provider)
  if (reason === null) return null
  return {
    reason,
    code: reason === 'default_role_missing' ? 'default_role_required' : 'invalid_provider_configuration',
  }
}

function problemOf(db: Database, provider: Provider): DefaultRoleProblem | null {
  const { default_role_id, default_role_configured_by } = provider
  const owner = ownerOf(provider)
  if (default_role_id === null || !isRoleOf(db, owner, default_role_id)) return 'default_role_missing'
  // Never the administrator who created the provider instead: they did not choose this role.
  if (default_role_configured_by === null) return 'default_role_configurer_unknown'
  const configurer = findUser(db, default_role_configured_by)
  if (configurer?.status !== 'active') return 'default_role_configurer_inactive'
  const grantLists = membershipGrants(db, configurer, owner)
  if (grantLists.length === 0) return 'default_role_configurer_no_permissions'
  const conferred = findGrants(db, default_role_id)
  // A session works in one membership, so the grants of several do not add up.
  const isHeld = grantLists.some((grants) => !firstGrantBeyond({ grants }, conferred))
  return isHeld ? null : 'default_role_exceeds_configurer_permissions'
}

/** Whether the owner of the provider owns this role. Built-in roles are owned by nobody, and cannot be a default role. */
function isRoleOf(db: Database, owner: ProviderOwner, id: string): boolean {
  const role = findRole(db, id)
  return owner.orgId === null
    ? role?.scope === 'partner' && role.partner_id === owner.partnerId
    : role?.scope === 'organization' && role.org_id === owner.orgId
}

/** The grants of a user in the owner's tenant, one list for each membership that reaches it; operators hold everything. */
function membershipGrants(db: Database, user: User, owner: ProviderOwner): (readonly Grant[])[] {
  if (findMembership(db, user)?.kind === 'system') return [[{ resource: '*', action: '*' }]]
  return usableMemberships(db, user.id)
    .filter((membership) => reaches(db, membership, owner))
    .map(({ role_id }) => findGrants(db, role_id))
}

function reaches(db: Database, membership: TenantMembership, { orgId, partnerId }: ProviderOwner): boolean {
  if (membership.kind === 'organization') {
    const isConfined = membership.site_ids !== null || membership.device_group_ids !== null
    return membership.org_id === orgId && !isConfined
  }
  const { partner_id, org_access, org_ids } = membership
  if (orgId === null) return partner_id === partnerId && org_access === 'all'
  const org = db.first(q.selectFrom('organizations').select('partner_id').where('id', '=', orgId))
  if (partner_id !== org?.partner_id) return false
  return org_access === 'all' || (org_access === 'selected' && parseIdList(org_ids)?.includes(orgId) === true)
}
