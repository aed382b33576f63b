import type { BackupConfig } from '../../../shared/api/backup-configs.ts'

/** Whether a storage can keep snapshots itself, as far as its last test says. */
export const canLockObjects = ({ providerCapabilities }: Pick<BackupConfig, 'providerCapabilities'>): boolean =>
  providerCapabilities?.objectLock.supported === true
