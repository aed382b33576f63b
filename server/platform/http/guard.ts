import type { Endpoint, UserAccess } from '../../../shared/endpoint.ts'
import type { ErrorCode } from '../../../shared/errors/index.ts'
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
  const refusal = refusalOf(actor, access, rules)
  if (refusal) throw new AppError(refusal)
}

/** For an endpoint that answers what others would: whether the caller may call one of them. */
export const mayCall = (actor: UserActor, { access }: Pick<Endpoint, 'access'>, rules: GuardRules): boolean =>
  access.who === 'user' && refusalOf(actor, access, rules) === null

function refusalOf(actor: UserActor, access: UserAccess, rules: GuardRules): ErrorCode | null {
  if (actor.apiKey && !access.byKey) return access.mfa ? 'MFA_REQUIRED' : 'api_key_not_accepted'
  if (access.platformAdmin && !(actor.isPlatformAdmin || actor.scope === 'system')) return 'platform_admin_required'
  if (!access.scopes.includes(actor.scope)) return 'insufficient_permissions'
  if (lacksPermission(actor, access)) return actor.grants.length === 0 ? 'no_permissions' : 'permission_denied'
  if (access.mfa && rules.isTwoFactorEnabled && !satisfiesMfa(actor, access.mfa)) return 'MFA_REQUIRED'
  return null
}

const lacksPermission = (actor: UserActor, { permission, or, and }: UserAccess): boolean =>
  (permission !== undefined && !holds(actor, permission) && !(or && holds(actor, or))) ||
  (and !== undefined && !holds(actor, and))

const holds = ({ permissions }: UserActor, permission: Permission): boolean => permissions.has(permission)

const satisfiesMfa = (actor: UserActor, marker: 'strict' | 'session'): boolean =>
  actor.mfa || (marker === 'session' && !actor.holdsFactor && !actor.mfaRequired)
