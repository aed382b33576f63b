export { createBackupKeys } from './create-backup-keys.ts'
export { unprintedSheets } from './unprinted-sheets.ts'
