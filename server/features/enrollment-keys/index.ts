export { createEnrollmentKeys } from './create-enrollment-keys.ts'
export { expireKeysOf, expireKeysOfSite } from './tenant-keys.ts'
