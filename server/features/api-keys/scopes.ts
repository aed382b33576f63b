import { type ApiKeyScope, missingFor, supportedScopes } from '../../../shared/api/api-keys.ts'
import { grantableScopes, isGrantable } from '../../../shared/api/in-use.ts'
import { type Grant, grantName } from '../../../shared/permissions.ts'
import { hasWholeTenant, type Identity } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'

/**
 * The scopes a caller names, without repetitions.
 * @throws AppError `api_key_scope_unknown` with the list of those that can be granted
 */
export function knownScopes(names: readonly string[]): ApiKeyScope[] {
  return [...new Set(names.map(knownScope))]
}

function knownScope(name: string): ApiKeyScope {
  const scope = supportedScopes.find((supported) => supported === name)
  if (scope === undefined) throw new AppError('api_key_scope_unknown', supported)
  return scope
}

/** Under this name, clients know the list. */
const supported = { details: { supportedScopes: grantableScopes } }

/**
 * A key that does nothing today might do something after an update, without anybody having decided that.
 * @throws AppError `api_key_scope_not_in_use`, except for what the key has already
 */
export function assertScopesInUse(scopes: readonly ApiKeyScope[], already: readonly ApiKeyScope[] = []): void {
  const scope = scopes.find((one) => !isGrantable(one) && !already.includes(one))
  if (scope === undefined) return
  const error = `scopes: ${scope} opens nothing and cannot be granted`
  throw new AppError('api_key_scope_not_in_use', { error, message: error, scope, ...supported })
}

type PermissionHolder = Pick<Identity, 'scope' | 'orgAccess' | 'grants'>

/** The first permission behind the scopes that the holder lacks; undefined when it holds all of them. */
export const missingPermission = (holder: PermissionHolder, scopes: readonly ApiKeyScope[]): Grant | undefined =>
  missingFor(scopes, { grants: holder.grants, maySeePeople: hasWholeTenant(holder) })

/**
 * Nobody creates a key that may do more than they may themselves.
 * @throws AppError `permission_not_held`
 */
export function assertHoldsScopes(holder: PermissionHolder, scopes: readonly ApiKeyScope[]): void {
  const missing = missingPermission(holder, scopes)
  if (missing) throw new AppError('permission_not_held', { details: { requiredPermission: grantName(missing) } })
}
