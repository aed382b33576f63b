import type {
  AuditCategory,
  AuditColumn,
  AuditEntryView,
  AuditEventView,
  FlatAuditEvent,
} from '../../../shared/api/audit-log.ts'
import { fromJson } from '../../lib/json.ts'
import type { EventFacts, EventRow } from './event-rows.ts'
import type { FoldedEntry } from './folded-entries.ts'

const categories: [RegExp, AuditCategory][] = [
  [/^user\.(login|logout|permission)/, 'authentication'],
  [/^device\./, 'device'],
  [/^script\./, 'automation'],
  [/^(automation\.)?policy\./, 'policy'],
  [/^alert\./, 'alert'],
  [/^data\./, 'compliance'],
  [/^organization\./, 'organization'],
]
export const categoryOf = (action: string): AuditCategory =>
  categories.find(([pattern]) => pattern.test(action))?.[1] ?? 'system'

/** The name under which the actor of an event is shown. */
export function actorName(event: EventFacts): string {
  if (event.user_name) return event.user_name
  if (event.actor_type === 'agent') {
    const host = event.display_name ?? event.hostname
    return host ? `Agent (${host})` : 'Agent'
  }
  if (event.actor_email) return event.actor_email
  if (event.actor_type === 'api_key') return `API Key ${event.actor_id.slice(0, 8)}`
  return event.actor_type === 'user' ? 'Unknown user' : 'System'
}

export function flatEvent(event: EventRow): FlatAuditEvent {
  const details = fromJson(event.details)
  return {
    id: event.id,
    timestamp: event.timestamp,
    action: event.action,
    resource: event.resource_name ?? event.resource_type,
    resourceType: event.resource_type,
    details: event.details,
    ipAddress: event.ip_address ?? '',
    userAgent: event.user_agent ?? '',
    sessionId: typeof details.sessionId === 'string' ? details.sessionId : null,
    user: { name: actorName(event), email: event.actor_email ?? '', role: event.actor_type, department: '' },
    initiatedBy: event.initiated_by,
    changes: { before: {}, after: details },
  }
}

export const fullEvent = (event: EventRow, withDetails = true): AuditEventView => ({
  id: event.id,
  timestamp: event.timestamp,
  orgId: event.org_id,
  orgName: event.org_name,
  partnerId: event.partner_id,
  user: { id: event.actor_id, name: actorName(event), email: event.actor_email ?? '', role: event.actor_type },
  action: event.action,
  resource: { type: event.resource_type, id: event.resource_id ?? '', name: event.resource_name ?? '' },
  category: categoryOf(event.action),
  result: event.result,
  ipAddress: event.ip_address ?? '',
  userAgent: event.user_agent ?? '',
  initiatedBy: event.initiated_by,
  ...(withDetails && { details: fromJson(event.details) }),
})

export const entryView = (event: EventRow, entry: FoldedEntry | undefined): AuditEntryView => ({
  ...fullEvent(event),
  folded:
    entry && entry.count > 1
      ? { as: entry.as, count: entry.count, since: entry.since, organizations: entry.organizations.size }
      : null,
})

/** The text of each column of an export. */
export const cellsOf: Record<AuditColumn, (event: EventRow) => string> = {
  id: ({ id }) => id,
  timestamp: ({ timestamp }) => timestamp,
  actorId: ({ actor_id }) => actor_id,
  actorName,
  actorEmail: ({ actor_email }) => actor_email ?? '',
  action: ({ action }) => action,
  resourceType: ({ resource_type }) => resource_type,
  resourceId: ({ resource_id }) => resource_id ?? '',
  resourceName: ({ resource_name }) => resource_name ?? '',
  category: ({ action }) => categoryOf(action),
  result: ({ result }) => result,
  ipAddress: ({ ip_address }) => ip_address ?? '',
  userAgent: ({ user_agent }) => user_agent ?? '',
  details: ({ details }) => details,
}
