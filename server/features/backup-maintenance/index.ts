export { createBackupMaintenance } from './create-backup-maintenance.ts'
