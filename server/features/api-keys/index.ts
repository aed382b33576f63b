export { createApiKeys } from './create-api-keys.ts'
export { expiringApiKeys } from './expiring.ts'
export { carriesKey } from './key-callers.ts'
export { revokeKeysOf } from './tenant-keys.ts'
