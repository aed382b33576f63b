import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { AuditLog } from './audit-log.ts'
import { ChainChecks } from './chain-checks.ts'
import { Chains } from './chains.ts'
import { auditLogJobs } from './jobs.ts'
import { AuditReports } from './reports.ts'
import { AuditRetention } from './retention.ts'
import { auditLogRoutes } from './routes.ts'

/** Reading, checking and removing audit events; `platform/audit` writes them. */
export function createAuditLog(services: Services): Module<null> {
  const { config, db, audit, limits } = services
  const chainChecks = new ChainChecks(services)
  const retention = new AuditRetention(services)
  const [log, reports, chains] = [new AuditLog(db), new AuditReports(db), new Chains(db, audit, chainChecks)]
  return {
    api: null,
    routes: (http) => auditLogRoutes(http, { db, audit, limits, log, reports, chains, retention }),
    jobs: auditLogJobs(chainChecks, retention, config.isAuditRetentionEnabled),
    stop: () => chainChecks.stop(),
  }
}
