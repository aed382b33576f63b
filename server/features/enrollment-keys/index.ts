export { createEnrollmentKeys } from './create-enrollment-keys.ts'
export { expiringEnrollmentKeys } from './expiring.ts'
export { expireKeysOf, expireKeysOfSite } from './tenant-keys.ts'
