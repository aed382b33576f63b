export { createBackupProfiles } from './create-backup-profiles.ts'
export { selectionsOf } from './fan-out.ts'
