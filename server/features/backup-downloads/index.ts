export { createBackupDownloads } from './create-backup-downloads.ts'
