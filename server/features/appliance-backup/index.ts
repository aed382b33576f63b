export { createApplianceBackup } from './create-appliance-backup.ts'
export { type LastBackup, lastBackup } from './last-backup.ts'
export { opensHereOnly } from './wrapped-keys.ts'
