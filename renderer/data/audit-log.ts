import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type AuditResult, listAuditEvents, readAuditEvent, searchAuditLog } from '../../shared/api/audit-log.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import { searchable } from '../../shared/paging.ts'
import { api } from '../lib/api.ts'

/** What is looked for; as it stands in the address. */
export interface LogFilters {
  /** Anywhere in an event. */
  q?: string | undefined
  user?: string | undefined
  action?: string | undefined
  resource?: string | undefined
  result?: AuditResult | undefined
  from?: string | undefined
  to?: string | undefined
  org?: string | undefined
}

/** A page of what was found. Further pages end at a moment, or each new event would move all of them by one. */
export interface LogPage extends LogFilters {
  page?: number | undefined
  until?: string | undefined
}

export type EventPage = Pick<ReplyOf<typeof listAuditEvents>, 'data'>

export const eventsPerPage = 50

const auditKey = ['audit-log'] as const

/** Filters are also set by a click on a name. */
const shortened = ({ user, resource, ...filters }: LogFilters): LogFilters => ({
  ...filters,
  user: user && searchable(user),
  resource: resource && searchable(resource),
})

function wantedOf({ org, until, to, page = 1, ...filters }: LogPage, limit: number, isCounted: boolean) {
  const query = { ...shortened(filters), to: until ?? to, orgId: org, page: String(page), limit: String(limit) }
  return isCounted ? query : { ...query, skipCount: 'true' as const }
}

const read = ({ q, ...query }: ReturnType<typeof wantedOf>, signal: AbortSignal) =>
  q ? api.call(searchAuditLog, { query: { ...query, q } }, signal) : api.call(listAuditEvents, { query }, signal)

export const eventsQuery = (place: LogPage) =>
  queryOptions({
    queryKey: [...auditKey, 'page', place],
    queryFn: async ({ signal }): Promise<EventPage> => read(wantedOf(place, eventsPerPage, false), signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** How many there are in all; `newest` is the event after which it is asked again. */
export const countQuery = ({ page: _page, ...place }: LogPage, newest: string | undefined) =>
  queryOptions({
    queryKey: [...auditKey, 'count', place, newest],
    queryFn: async ({ signal }) => (await read(wantedOf(place, 1, true), signal)).pagination.total,
    staleTime: 0,
  })

export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: [...auditKey, 'one', id],
    queryFn: ({ signal }) => api.call(readAuditEvent, { params: { id } }, signal),
    // What is in the log is never changed.
    staleTime: Number.POSITIVE_INFINITY,
  })
