export { createBackupRestores } from './create-backup-restores.ts'
