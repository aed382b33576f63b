import * as contract from '../../../shared/api/backup-reports.ts'
import { searches } from '../../platform/http/searches.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { BackupPolicies } from '../backup-policies/index.ts'
import type { Devices } from '../devices/index.ts'
import { Dashboard } from './dashboard.ts'
import { deviceStatus } from './device-status.ts'
import { exportedProtection } from './protection-export.ts'
import { ProtectionReport } from './protection-report.ts'
import { UsageDays } from './usage-days.ts'
import { UsageHistory } from './usage-history.ts'

interface ReportDependencies {
  devices: Devices
  backupPolicies: BackupPolicies
}

/** How backups stand, as people and auditors ask for it. */
export function createBackupReports(services: Services, dependencies: ReportDependencies): Module<null> {
  const reports = { ...services, ...dependencies }
  const dashboard = new Dashboard(reports)
  const usage = new UsageHistory(services)
  const report = new ProtectionReport(reports)
  const days = new UsageDays(services)
  return {
    api: null,
    routes: (http) => {
      const search = searches()
      http.user(contract.backupDashboard, async ({ actor, query, reply }) => ({
        data: await search.steps(actor, reply, dashboard.read(actor, query.orgId)),
      }))
      http.user(contract.backupStatus, ({ actor, params, query }) => ({
        data: deviceStatus(reports, actor, params.deviceId, query.orgId),
      }))
      http.user(contract.backupUsageHistory, async ({ actor, query, reply }) => ({
        data: await search.steps(actor, reply, usage.read(actor, query.orgId, query.days)),
      }))
      http.user(contract.listProtection, ({ actor, query, reply }) =>
        search.steps(actor, reply, report.list(actor, query)),
      )
      http.user(contract.exportProtection, ({ actor, query, reply }) => {
        const file = exportedProtection({ ...services, report }, actor, query)
        reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
        reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', 'attachment; filename="backup-protection.csv"')
        return file
      })
    },
    jobs: [
      {
        name: 'backup.usage',
        description: 'Keeps how much backups store, for the history of a day each',
        schedule: '15 7 * * * *',
        runsAtStart: true,
        run: (signal) => days.keep(signal),
      },
    ],
  }
}
