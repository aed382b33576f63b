import type { Job } from '../../platform/jobs.ts'
import type { ChainChecks } from './chain-checks.ts'
import type { AuditRetention } from './retention.ts'

export const auditLogJobs = (checks: ChainChecks, retention: AuditRetention, isRetentionEnabled: boolean): Job[] => [
  {
    name: 'audit-log.check',
    description: 'Checks the integrity of the audit log',
    schedule: '0 10 2 * * *',
    run: () => checks.checkAll(),
  },
  {
    name: 'audit-log.clean',
    description: 'Removes audit events past their retention',
    schedule: '0 40 3 * * *',
    run: async (signal) => {
      if (isRetentionEnabled) await retention.clean(signal)
    },
  },
]
