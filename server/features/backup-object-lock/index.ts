export { createBackupObjectLock } from './create-backup-object-lock.ts'
export { undeleteObjects } from './undelete.ts'
