import { grantAllows, type Permission } from '../permissions.ts'
import { type ApiKeyScope, apiKeyScopes, supportedScopes } from './api-keys.ts'
import { allEndpoints } from './index.ts'

const accesses = allEndpoints.flatMap(({ access }) => (access.who === 'user' ? [access] : []))
const permissionsOf = (some: typeof accesses): readonly Permission[] =>
  some.flatMap(({ permission, or }) => [permission, or]).filter((one) => one !== undefined)

const asked: ReadonlySet<Permission> = new Set(permissionsOf(accesses))
const askedOfKeys = [...new Set(permissionsOf(accesses.filter(({ byKey }) => byKey)))]

/** Whether some endpoint asks for the permission. The others belong to features that Homeport does not have. */
export const isInUse = (permission: Permission): boolean => asked.has(permission)

/** What a key with this scope may do today. */
export const openedBy = (scope: ApiKeyScope): readonly Permission[] =>
  askedOfKeys.filter((permission) => apiKeyScopes[scope].some((grant) => grantAllows(grant, permission)))

/** Scopes that open something to a key. The others cannot be granted; keys of older versions may have them. */
export const grantableScopes = supportedScopes.filter((scope) => openedBy(scope).length > 0)

export const isGrantable = (scope: ApiKeyScope): boolean => grantableScopes.includes(scope)
