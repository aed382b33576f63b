export { type BackupJobServices, createBackupJobs } from './create-backup-jobs.ts'
export { objectIn } from './outcome.ts'
export { type BackupPlan, BackupPlans, planIn } from './plan.ts'
export type { BackupRuns } from './runs.ts'
