export { createBackupMaintenance, type RepositoryWork } from './create-backup-maintenance.ts'
export type { DeviceCall } from './device-repositories.ts'
