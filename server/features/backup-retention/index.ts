export { createBackupRetention } from './create-backup-retention.ts'
