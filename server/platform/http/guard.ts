import type { UserAccess } from '../../../shared/endpoint.ts'
import type { UserActor } from '../actor.ts'
import { AppError } from '../errors.ts'

export interface GuardRules {
  isTwoFactorEnabled: boolean
}

/**
 * Scope, then permission, then the second factor: who may call. On which object is the service's business. An API key
 * has no second factor and enters only where the contract says so.
 */
export function requireAccess(actor: UserActor, access: UserAccess, rules: GuardRules): void {
  if (actor.apiKey && !access.byKey) throw new AppError(access.mfa ? 'MFA_REQUIRED' : 'api_key_not_accepted')
  if (access.platformAdmin && !(actor.isPlatformAdmin || actor.scope === 'system'))
    throw new AppError('platform_admin_required')
  if (!access.scopes.includes(actor.scope)) throw new AppError('insufficient_permissions')
  if (access.permission && !isPermitted(actor, access))
    throw new AppError(actor.grants.length === 0 ? 'no_permissions' : 'permission_denied')
  if (access.mfa && rules.isTwoFactorEnabled && !satisfiesMfa(actor, access.mfa)) throw new AppError('MFA_REQUIRED')
}

const isPermitted = ({ permissions }: UserActor, { permission, or }: UserAccess): boolean =>
  [permission, or].some((one) => one !== undefined && permissions.has(one))

const satisfiesMfa = (actor: UserActor, marker: 'strict' | 'session'): boolean =>
  actor.mfa || (marker === 'session' && !actor.holdsFactor && !actor.mfaRequired)
