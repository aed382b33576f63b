export { type BackupSnapshots, createBackupSnapshots } from './create-backup-snapshots.ts'
export type { BackedUpFiles } from './files.ts'
export type { Snapshots } from './snapshots.ts'
export type { SnapshotRow } from './views.ts'
