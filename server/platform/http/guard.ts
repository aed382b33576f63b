import type { UserAccess } from '../../../shared/endpoint.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { UserActor } from '../actor.ts'
import { AppError } from '../errors.ts'

export interface GuardRules {
  isTwoFactorEnabled: boolean
}

/**
 * Scope, then permission, then the second factor: whether the caller may call the endpoint. Access to single objects is
 * checked by the services. An API key has no second factor and enters only where the contract says so.
 */
export function requireAccess(actor: UserActor, access: UserAccess, rules: GuardRules): void {
  if (actor.apiKey && !access.byKey) throw new AppError(access.mfa ? 'MFA_REQUIRED' : 'api_key_not_accepted')
  if (access.platformAdmin && !(actor.isPlatformAdmin || actor.scope === 'system'))
    throw new AppError('platform_admin_required')
  if (!access.scopes.includes(actor.scope)) throw new AppError('insufficient_permissions')
  if (access.permission && !holds(actor, access.permission) && !(access.or && holds(actor, access.or)))
    throw new AppError(actor.grants.length === 0 ? 'no_permissions' : 'permission_denied')
  if (access.mfa && rules.isTwoFactorEnabled && !satisfiesMfa(actor, access.mfa)) throw new AppError('MFA_REQUIRED')
}

const holds = ({ permissions }: UserActor, permission: Permission): boolean => permissions.has(permission)

const satisfiesMfa = (actor: UserActor, marker: 'strict' | 'session'): boolean =>
  actor.mfa || (marker === 'session' && !actor.holdsFactor && !actor.mfaRequired)
