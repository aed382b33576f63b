export { createBackupReadiness } from './create-backup-readiness.ts'
