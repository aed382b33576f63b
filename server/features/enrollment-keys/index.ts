export { Enrollment } from './enroll.ts'
export { EnrollmentKeys } from './keys.ts'
export { enrollmentRoutes } from './routes.ts'
export { expireKeysOf, expireKeysOfSite } from './tenant-keys.ts'
