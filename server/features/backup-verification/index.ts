export { createBackupVerification, type VerificationServices } from './create-backup-verification.ts'
export { isCritical } from './critical.ts'
