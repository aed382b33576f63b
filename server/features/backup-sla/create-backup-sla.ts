import * as contract from '../../../shared/api/backup-sla.ts'
import { searches } from '../../platform/http/searches.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Attention } from '../backup-attention/index.ts'
import type { BackupPolicies } from '../backup-policies/index.ts'
import type { DeviceSignals } from '../devices/index.ts'
import type { Mailer } from '../messaging/index.ts'
import { resolveEventsOf, SlaChecks } from './checks.ts'
import { SlaAttention } from './sla-attention.ts'
import { SlaConfigs } from './sla-configs.ts'
import { SlaReports } from './sla-dashboard.ts'
import { slaEvents } from './sla-events.ts'
import { SlaMail } from './sla-mail.ts'

interface SlaDependencies {
  attention: Attention
  backupPolicies: BackupPolicies
  mailer: Mailer
  signals: Pick<DeviceSignals, 'retiring' | 'moving'>
}

/** What is promised about backups: how old the newest may be, and how long a restore may take. */
export function createBackupSla(services: Services, { signals, ...dependencies }: SlaDependencies): Module<null> {
  const { db, clock } = services
  const configs = new SlaConfigs(services)
  const attention = new SlaAttention({ db, attention: dependencies.attention })
  const checks = new SlaChecks({ ...services, attention })
  const mail = new SlaMail({ ...services, ...dependencies })
  const reports = new SlaReports(services)
  /** Nothing is promised about a device that leaves. Joins the transaction. */
  const forget = ({ deviceId }: { deviceId: string }) => resolveEventsOf(db, clock, deviceId)
  signals.retiring.on(forget)
  signals.moving.on(forget)
  return {
    api: null,
    routes: (http) => {
      const search = searches()
      http.user(contract.createSlaConfig, async ({ actor, body, query }) => {
        const made = configs.create(actor, body, query.orgId)
        await checks.checkNow(made)
        return { data: configs.read(actor, made.id) }
      })
      http.user(contract.listSlaConfigs, ({ actor, query, reply }) =>
        search.steps(actor, reply, configs.list(actor, query.orgId)),
      )
      http.user(contract.updateSlaConfig, async ({ actor, params, body, query }) => {
        const changed = configs.update(actor, params.id, body, query.orgId)
        await checks.checkNow(changed)
        return { data: configs.read(actor, changed.id) }
      })
      http.user(contract.deleteSlaConfig, async ({ actor, params, query }) => {
        const orgId = configs.remove(actor, params.id, query.orgId)
        await checks.settle(orgId)
        return { success: true as const }
      })
      http.user(contract.listSlaEvents, ({ actor, query }) => slaEvents(db, actor, query))
      http.user(contract.slaDashboard, async ({ actor, query, reply }) => ({
        data: await search.steps(actor, reply, reports.dashboard(actor, query.orgId)),
      }))
      http.user(contract.slaHistory, async ({ actor, query, reply }) => ({
        data: await search.steps(actor, reply, reports.history(actor, query.orgId, query.days)),
      }))
    },
    jobs: [
      {
        name: 'backup.sla',
        description: 'Compares what is promised about backups with those there are, and mails what is not kept',
        schedule: '10 */10 * * * *',
        runsAtStart: true,
        run: async (signal) => {
          await checks.run(signal)
          await mail.run(signal)
        },
      },
    ],
  }
}
