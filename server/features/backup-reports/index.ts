export { createBackupReports } from './create-backup-reports.ts'
