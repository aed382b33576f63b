export { createBackupVaults } from './create-backup-vaults.ts'
export type { VaultCopies } from './vault-copies.ts'
