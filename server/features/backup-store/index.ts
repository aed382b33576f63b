export { BackupStore } from './backup-store.ts'
export { createBackupStore } from './create-backup-store.ts'
export { storePath } from './routes.ts'
export { unknownFolders } from './unknown-folders.ts'
