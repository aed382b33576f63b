export { createApiKeys } from './create-api-keys.ts'
export { bringsKey } from './key-callers.ts'
export { revokeKeysOf } from './tenant-keys.ts'
