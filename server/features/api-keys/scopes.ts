import { type ApiKeyScope, apiKeyScopes, supportedScopes } from '../../../shared/api/api-keys.ts'
import { type Grant, grantName } from '../../../shared/permissions.ts'
import type { Identity } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { covers } from '../identity/index.ts'

/** Each once; 400 with all there are for one that is not known. */
export function knownScopes(wanted: readonly string[]): ApiKeyScope[] {
  const unknown = wanted.find((scope) => !(supportedScopes as string[]).includes(scope))
  if (unknown !== undefined) throw new AppError('api_key_scope_unknown', { details: { supportedScopes } })
  return [...new Set(wanted as readonly ApiKeyScope[])]
}

export const grantsOf = (scopes: readonly ApiKeyScope[]): readonly Grant[] =>
  scopes.flatMap((scope): readonly Grant[] => apiKeyScopes[scope])

/** The first permission behind the scopes that is not held. */
export const missingFor = (scopes: readonly ApiKeyScope[], held: readonly Grant[]): Grant | undefined =>
  grantsOf(scopes).find((wanted) => !held.some((grant) => covers(grant, wanted)))

/** Nobody makes a key that can do what they can not: 403. */
export function assertHoldsScopes({ grants }: Pick<Identity, 'grants'>, scopes: readonly ApiKeyScope[]): void {
  const missing = missingFor(scopes, grants)
  if (missing) throw new AppError('permission_not_held', { details: { requiredPermission: grantName(missing) } })
}
