export { createBackupJobs } from './create-backup-jobs.ts'
export { type BackupPlan, BackupPlans } from './plan.ts'
