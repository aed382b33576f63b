export { createBackupSchedule } from './create-backup-schedule.ts'
