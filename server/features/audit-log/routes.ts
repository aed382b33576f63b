import type { FastifyReply } from 'fastify'
import type { AuditColumn } from '../../../shared/api/audit-log.ts'
import * as contract from '../../../shared/api/audit-log.ts'
import type { Database } from '../../db/database.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Http } from '../../platform/http/http.ts'
import { searches } from '../../platform/http/searches.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { AuditLog } from './audit-log.ts'
import type { Chains } from './chains.ts'
import { columnsOf, exported, type Layout } from './export.ts'
import { type Filters, wantedOf } from './filters.ts'
import type { AuditReports } from './reports.ts'
import type { AuditRetention } from './retention.ts'
import { flatEvent, fullEvent } from './views.ts'

interface Deps {
  db: Database
  audit: Audit
  log: AuditLog
  reports: AuditReports
  chains: Chains
  retention: AuditRetention
  limits: RateLimits
}

export function auditLogRoutes(http: Http, deps: Deps): void {
  const { log, reports, chains, retention } = deps
  const search = searches()

  http.user(contract.listAuditLog, ({ actor, query, reply }) =>
    search(actor, reply, async (signal) => {
      const { events, pagination } = await log.list(actor, query, query, signal, flatEvent)
      return { entries: events, pagination }
    }),
  )
  http.user(contract.listAuditEvents, ({ actor, query, reply }) =>
    search(actor, reply, async (signal) => {
      const { events, pagination } = await log.list(actor, query, query, signal, (event) => fullEvent(event))
      return { data: events, pagination }
    }),
  )
  http.user(contract.readAuditEvent, ({ actor, params }) => fullEvent(log.read(actor, params.id)))
  http.user(contract.searchAuditLog, ({ actor, query, reply }) =>
    search(actor, reply, async (signal) => {
      const { events, pagination } = await log.list(actor, query, query, signal, (event) => fullEvent(event))
      return { data: events, query: query.q, pagination }
    }),
  )

  http.user(contract.exportAuditLog, ({ actor, body, reply }) => {
    const { format, dateRange, columns, includeDetails } = body
    return takeAlong(deps, actor, reply, format, { ...body.filters, ...dateRange }, { columns, includeDetails })
  })
  http.user(contract.downloadAuditLog, ({ actor, query, reply }) => {
    const { userId, orgId, includeDetails } = query
    const columns = query.columns?.split(',').map((name) => name.trim())
    const known = columns?.filter((name): name is AuditColumn => contract.auditColumns.includes(name as AuditColumn))
    return takeAlong(
      deps,
      actor,
      reply,
      'csv',
      { userId, orgId },
      { columns: known?.length ? known : undefined, includeDetails },
    )
  })

  http.user(contract.reportUserActivity, ({ actor, query, reply }) =>
    search(actor, reply, (signal) => reports.userActivity(actor, query, signal)),
  )
  http.user(contract.reportSecurityEvents, ({ actor, query, reply }) =>
    search(actor, reply, (signal) => reports.security(actor, query, signal)),
  )
  http.user(contract.reportCompliance, ({ actor, query, reply }) =>
    search(actor, reply, (signal) => reports.compliance(actor, query, signal)),
  )
  http.user(contract.readAuditStats, ({ actor, query, reply }) =>
    search(actor, reply, (signal) => reports.stats(actor, query, signal)),
  )

  http.user(contract.listAuditChains, ({ actor, query }) => chains.list(actor, query))
  http.user(contract.verifyAuditLog, ({ actor }) => ({ data: { chains: chains.verify(actor) } }))

  http.user(contract.readAuditRetention, ({ actor, params }) => retention.read(actor, params.id))
  http.user(contract.updateAuditRetention, ({ actor, params, body }) =>
    retention.update(actor, params.id, body.retentionDays),
  )
}

/** On record before the first byte has left: who breaks off has read what came until then. */
function takeAlong(
  { db, audit, limits }: Deps,
  actor: UserActor,
  reply: FastifyReply,
  format: 'csv' | 'json',
  filters: Filters,
  layout: Layout,
) {
  limits.consume('audit_export', actor.userId)
  const wanted = wantedOf(db, actor, filters)
  audit(actor, {
    action: 'audit_logs.export',
    resourceType: 'audit_log',
    orgId: filters.orgId ?? (actor.scope === 'organization' ? actor.orgId : null),
    details: { format, filters, columns: columnsOf(layout), includeDetails: layout.includeDetails },
  })
  reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  if (format === 'json') reply.type('application/json; charset=utf-8')
  else reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="audit-logs.csv"')
  // Whoever asks for the headers alone reads nothing, and would not stop it by leaving.
  return reply.request.method === 'HEAD' ? '' : exported(db, wanted, format, layout)
}
