import type { FastifyReply } from 'fastify'
import * as contract from '../../../shared/api/audit-log.ts'
import type { Database } from '../../db/database.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Http } from '../../platform/http/http.ts'
import { type Searches, searches } from '../../platform/http/searches.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { AuditLog } from './audit-log.ts'
import type { Chains } from './chains.ts'
import { columnsOf, type ExportLayout, exportEvents } from './export.ts'
import { eventQuery, type Filters } from './filters.ts'
import type { AuditReports } from './reports.ts'
import type { AuditRetention } from './retention.ts'
import { flatEvent, fullEvent } from './views.ts'

interface AuditLogServices {
  db: Database
  audit: Audit
  log: AuditLog
  reports: AuditReports
  chains: Chains
  retention: AuditRetention
  limits: RateLimits
}

export function auditLogRoutes(http: Http, services: AuditLogServices): void {
  const { chains, retention } = services
  const search = searches()
  listRoutes(http, search, services.log)
  exportRoutes(http, services)
  reportRoutes(http, search, services.reports)

  http.user(contract.listAuditChains, ({ actor, query }) => chains.list(actor, query))
  http.user(contract.verifyAuditLog, ({ actor }) => ({ data: { chains: chains.verify(actor) } }))

  http.user(contract.readAuditRetention, ({ actor, params }) => retention.read(actor, params.id))
  http.user(contract.updateAuditRetention, ({ actor, params, body }) =>
    retention.update(actor, params.id, body.retentionDays),
  )
}

function listRoutes(http: Http, search: Searches, log: AuditLog): void {
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
  http.user(contract.listAuditEntries, ({ actor, query, reply }) =>
    search(actor, reply, (signal) => log.entries(actor, query, query, signal)),
  )
  http.user(contract.readAuditEvent, ({ actor, params }) => fullEvent(log.read(actor, params.id)))
  http.user(contract.searchAuditLog, ({ actor, query, reply }) =>
    search(actor, reply, async (signal) => {
      const { events, pagination } = await log.list(actor, query, query, signal, (event) => fullEvent(event))
      return { data: events, query: query.q, pagination }
    }),
  )
}

function exportRoutes(http: Http, services: AuditLogServices): void {
  http.user(contract.exportAuditLog, ({ actor, body, reply }) => {
    const { format, dateRange, columns, includeDetails } = body
    return sendExport(services, actor, reply, format, { ...body.filters, ...dateRange }, { columns, includeDetails })
  })
  http.user(contract.downloadAuditLog, ({ actor, query, reply }) => {
    const { userId, orgId, includeDetails } = query
    const names = query.columns?.split(',').map((name) => name.trim()) ?? []
    const columns = names.flatMap((name) => contract.auditColumns.find((column) => column === name) ?? [])
    return sendExport(
      services,
      actor,
      reply,
      'csv',
      { userId, orgId },
      { columns: columns.length > 0 ? columns : undefined, includeDetails },
    )
  })
}

function reportRoutes(http: Http, search: Searches, reports: AuditReports): void {
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
}

/** Records the export before the first byte is sent: a client that disconnects has read part of it. */
function sendExport(
  { db, audit, limits }: AuditLogServices,
  actor: UserActor,
  reply: FastifyReply,
  format: 'csv' | 'json',
  filters: Filters,
  layout: ExportLayout,
) {
  limits.consume('audit_export', actor.userId)
  const query = eventQuery(db, actor, filters)
  audit(actor, {
    action: 'audit_logs.export',
    resourceType: 'audit_log',
    orgId: filters.orgId ?? (actor.scope === 'organization' ? actor.orgId : null),
    details: { format, filters, columns: columnsOf(layout), includeDetails: layout.includeDetails },
  })
  reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  if (format === 'json') reply.type('application/json; charset=utf-8')
  else reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="audit-logs.csv"')
  // A HEAD request gets headers only; a search begun for it would not end when the client disconnects.
  return reply.request.method === 'HEAD' ? '' : exportEvents(db, query, format, layout)
}
