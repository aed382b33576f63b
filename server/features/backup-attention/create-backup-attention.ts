import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { BackupJobServices } from '../backup-jobs/index.ts'
import type { BackupPolicies } from '../backup-policies/index.ts'
import type { DeviceSignals } from '../devices/index.ts'
import type { Mailer } from '../messaging/index.ts'
import { BackupAlerts } from './alerts.ts'
import { Attention } from './attention.ts'
import { BackupDigests } from './digests.ts'
import { BackupWatch } from './watch.ts'

interface AttentionDependencies {
  mailer: Mailer
  backupPolicies: BackupPolicies
  ending: BackupJobServices['ending']
  signals: Pick<DeviceSignals, 'retiring' | 'moving'>
}

/** What is wrong with the backups of devices, and who is mailed about it. */
export function createBackupAttention(
  services: Services,
  { ending, signals, ...dependencies }: AttentionDependencies,
): Module<{ attention: Attention }> {
  const attention = new Attention({ ...services, ...dependencies })
  const watch = new BackupWatch({ ...services, ...dependencies, attention })
  const alerts = new BackupAlerts({ ...services, ...dependencies })
  const digests = new BackupDigests({ ...services, ...dependencies })
  ending.on(({ deviceId }) => watch.lookAt(deviceId))
  signals.retiring.on(({ deviceId }) => attention.forget(deviceId))
  signals.moving.on(({ deviceId }) => attention.forget(deviceId))
  return {
    api: { attention },
    jobs: [
      {
        name: 'backup.attention',
        description: 'Finds devices whose backups were missed, and what is no longer wrong',
        schedule: '40 */5 * * * *',
        runsAtStart: true,
        run: (signal) => watch.run(signal),
      },
      {
        name: 'backup.mail',
        description: 'Mails what is wrong with backups to the people whom policies name',
        schedule: '50 * * * * *',
        run: async (signal) => {
          await alerts.run(signal)
          await digests.run(signal)
        },
      },
    ],
  }
}
