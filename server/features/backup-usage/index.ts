export { type BackupUsage, createBackupUsage } from './create-backup-usage.ts'
