export { createBackupStorage } from './create-backup-storage.ts'
