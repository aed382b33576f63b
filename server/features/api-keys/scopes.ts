import { type ApiKeyScope, missingFor, supportedScopes } from '../../../shared/api/api-keys.ts'
import { type Grant, grantName } from '../../../shared/permissions.ts'
import { hasWholeTenant, type Identity } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'

/** Each once; 400 with all there are for one that is not known. */
export function knownScopes(wanted: readonly string[]): ApiKeyScope[] {
  const unknown = wanted.find((scope) => !(supportedScopes as string[]).includes(scope))
  if (unknown !== undefined) throw new AppError('api_key_scope_unknown', { details: { supportedScopes } })
  return [...new Set(wanted as readonly ApiKeyScope[])]
}

type Holder = Pick<Identity, 'scope' | 'orgAccess' | 'grants'>

/** The first permission behind the scopes that somebody does not hold. */
export const missingTo = (holder: Holder, scopes: readonly ApiKeyScope[]): Grant | undefined =>
  missingFor(scopes, { grants: holder.grants, maySeePeople: hasWholeTenant(holder) })

/** Nobody makes a key that can do what they can not: 403. */
export function assertHoldsScopes(holder: Holder, scopes: readonly ApiKeyScope[]): void {
  const missing = missingTo(holder, scopes)
  if (missing) throw new AppError('permission_not_held', { details: { requiredPermission: grantName(missing) } })
}
