export { createBackupJobs } from './create-backup-jobs.ts'
export { objectIn } from './outcome.ts'
export { type BackupPlan, BackupPlans } from './plan.ts'
