export { Enrollment } from './enroll.ts'
export { EnrollmentKeys } from './keys.ts'
export { enrollmentRoutes } from './routes.ts'
export { expireKeysOf } from './tenant-keys.ts'
