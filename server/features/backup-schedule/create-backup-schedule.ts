import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Attention } from '../backup-attention/index.ts'
import type { BackupRuns } from '../backup-jobs/index.ts'
import type { BackupPolicies } from '../backup-policies/index.ts'
import { BackupSchedule } from './backup-schedule.ts'

export function createBackupSchedule(
  services: Services,
  dependencies: { backupPolicies: BackupPolicies; runs: BackupRuns; attention: Attention },
): Module<null> {
  const { backupCatchUpHours: catchUpHours } = services.config
  const schedule = new BackupSchedule({ ...services, ...dependencies, catchUpHours })
  return {
    api: null,
    jobs: [
      {
        name: 'backup.schedule',
        description: 'Starts the backups that are due',
        schedule: '5 * * * * *',
        runsAtStart: true,
        run: async (signal) => {
          await schedule.run(signal)
        },
      },
    ],
  }
}
