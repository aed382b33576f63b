export { createBackupVerification, type VerificationServices } from './create-backup-verification.ts'
export { isCritical } from './critical.ts'
export { readingProgressOf } from './reading-progress.ts'
