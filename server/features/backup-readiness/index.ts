export { Calculations } from './calculations.ts'
export { createBackupReadiness } from './create-backup-readiness.ts'
