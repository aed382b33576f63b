export { createBackupMaintenance, type RepositoryWork } from './create-backup-maintenance.ts'
export { type DeviceCall, DeviceRefused } from './device-repositories.ts'
