import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { BackupStorage } from '../backup-storage/index.ts'
import { ObjectLocks } from './object-locks.ts'

/** Snapshots that storage itself keeps until their day. */
export function createBackupObjectLock(services: Services, storage: BackupStorage): Module<null> {
  const objectLocks = new ObjectLocks({ ...services, ...storage })
  return {
    api: null,
    jobs: [
      {
        name: 'backup.lock-objects',
        description: 'Has S3 storage lock the objects of snapshots that it is to keep',
        schedule: '50 * * * * *',
        run: (signal) => objectLocks.run(signal),
      },
    ],
  }
}
