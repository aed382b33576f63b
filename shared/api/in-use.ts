import { grantAllows, type Permission } from '../permissions.ts'
import { type ApiKeyScope, apiKeyScopes, supportedScopes } from './api-keys.ts'
import { askedOfApiKeys, askedPermissions } from './asked-permissions.ts'

const asked: ReadonlySet<Permission> = new Set(askedPermissions)

/** Whether some endpoint asks for the permission. The others belong to features that Homeport does not have. */
export const isInUse = (permission: Permission): boolean => asked.has(permission)

/** What a key with this scope may do today. */
export const openedBy = (scope: ApiKeyScope): readonly Permission[] =>
  askedOfApiKeys.filter((permission) => apiKeyScopes[scope].some((grant) => grantAllows(grant, permission)))

/** Scopes that open something to a key. The others cannot be granted; keys of older versions may have them. */
export const grantableScopes = supportedScopes.filter((scope) => openedBy(scope).length > 0)

export const isGrantable = (scope: ApiKeyScope): boolean => grantableScopes.includes(scope)
