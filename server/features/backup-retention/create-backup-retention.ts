import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { BackupPolicies } from '../backup-policies/index.ts'
import { BackupRetention } from './backup-retention.ts'

export function createBackupRetention(
  services: Services,
  dependencies: { backupPolicies: BackupPolicies },
): Module<null> {
  const retention = new BackupRetention({ ...services, ...dependencies })
  return {
    api: null,
    jobs: [
      {
        name: 'backup.expire',
        description: 'Expires snapshots that need not be kept any more',
        schedule: '40 35 */6 * * *',
        runsAtStart: true,
        run: async (signal) => {
          await retention.run(signal)
        },
      },
    ],
  }
}
