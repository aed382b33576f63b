export { createBackupKeys } from './create-backup-keys.ts'
