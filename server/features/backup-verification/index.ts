export { createBackupVerification } from './create-backup-verification.ts'
