export { createBackupPreview } from './create-backup-preview.ts'
