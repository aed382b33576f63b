export { createApiKeys } from './create-api-keys.ts'
export { carriesKey } from './key-callers.ts'
export { revokeKeysOf } from './tenant-keys.ts'
