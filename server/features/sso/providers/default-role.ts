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
  firstBeyond,
  type TenantMembership,
  type User,
  usableMemberships,
} from '../../identity/index.ts'
import type { ProviderOwner } from '../owner.ts'
import { ownerOf, type Provider } from '../store.ts'

/**
 * The role of people who are created by signing in. Whoever chooses it hands on all that it permits, so they must hold
 * that, when they choose and still when somebody new arrives.
 */

/** @throws AppError for a role of somebody else, or one that permits what the caller may not */
export function assertMayConfer(db: Database, actor: UserActor, owner: ProviderOwner, roleId: string): void {
  if (!isRoleOf(db, owner, roleId))
    throw new AppError(owner.orgId === null ? 'sso_role_not_of_partner' : 'sso_role_not_of_organization')
  const beyond = firstBeyond(actor, findGrants(db, roleId))
  if (!beyond) return
  const error = `The default role permits ${grantName(beyond)}, which you can not hand on`
  throw new AppError('sso_role_beyond_caller', { error, message: error, permission: grantName(beyond) })
}

export interface NotProvisionable {
  reason: DefaultRoleProblem
  /** With which the browser is sent back. */
  code: SsoErrorCode
}

/** Why nobody new may be given the default role of this provider at the moment; null when one may. */
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
  // No falling back to whoever made the provider: to delete the one is not to hand this over to the other.
  if (default_role_configured_by === null) return 'default_role_configurer_unknown'
  const configurer = findUser(db, default_role_configured_by)
  if (configurer?.status !== 'active') return 'default_role_configurer_inactive'
  const powers = powersOver(db, configurer, owner)
  if (powers.length === 0) return 'default_role_configurer_no_permissions'
  const conferred = findGrants(db, default_role_id)
  // A session works in one membership: what two of them permit together nobody may do.
  const isHeld = powers.some((grants) => !firstBeyond({ grants }, conferred))
  return isHeld ? null : 'default_role_exceeds_configurer_permissions'
}

/** Whether the owner of the provider made this role. One that comes with the appliance is nobody's, and never fits. */
function isRoleOf(db: Database, owner: ProviderOwner, id: string): boolean {
  const role = findRole(db, id)
  return owner.orgId === null
    ? role?.scope === 'partner' && role.partner_id === owner.partnerId
    : role?.scope === 'organization' && role.org_id === owner.orgId
}

/** What somebody may do where the provider belongs, by each membership that reaches there; operators everything. */
function powersOver(db: Database, user: User, owner: ProviderOwner): (readonly Grant[])[] {
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
  return (
    org_access === 'all' || (org_access === 'selected' && (JSON.parse(org_ids ?? '[]') as string[]).includes(orgId))
  )
}
