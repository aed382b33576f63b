export { createBackupProfiles } from './create-backup-profiles.ts'
export { selectionsOf } from './fan-out.ts'
export { assertFullPaths } from './full-paths.ts'
