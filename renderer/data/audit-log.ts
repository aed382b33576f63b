import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  type AuditEntryView,
  type AuditEventView,
  type AuditResult,
  listAuditEntries,
  listAuditEvents,
  readAuditEvent,
  searchAuditLog,
} from '../../shared/api/audit-log.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import { searchable } from '../../shared/paging.ts'
import { api } from '../lib/api.ts'

/** The filters as they stand in the URL. */
export interface LogFilters {
  /** Matches anywhere in an event. */
  q?: string | undefined
  user?: string | undefined
  action?: string | undefined
  resource?: string | undefined
  result?: AuditResult | undefined
  from?: string | undefined
  to?: string | undefined
  org?: string | undefined
}

/** One page of results. Pages after the first end at a fixed time, or each new event would shift all of them by one. */
export interface LogPage extends LogFilters {
  page?: number | undefined
  until?: string | undefined
}

export type EntryPage = ReplyOf<typeof listAuditEntries>

export const entriesPerPage = 50

const auditKey = ['audit-log'] as const

/** A click on a name can set a filter that is longer than the API takes. */
const withSearchableNames = ({ user, resource, ...filters }: LogFilters): LogFilters => ({
  ...filters,
  user: user && searchable(user),
  resource: resource && searchable(resource),
})

function toQuery({ org, until, to, page = 1, ...filters }: LogPage, limit: number) {
  return {
    ...withSearchableNames(filters),
    to: until ?? to,
    orgId: org,
    page: String(page),
    limit: String(limit),
  }
}

interface EventQuery extends ReturnType<typeof toQuery> {
  foldedWith?: string
  skipCount?: 'true'
}

const read = ({ q, ...query }: EventQuery, signal: AbortSignal) =>
  q ? api.call(searchAuditLog, { query: { ...query, q } }, signal) : api.call(listAuditEvents, { query }, signal)

export const entriesQuery = (logPage: LogPage) =>
  queryOptions({
    queryKey: [...auditKey, 'page', logPage],
    queryFn: ({ signal }) => api.call(listAuditEntries, { query: toQuery(logPage, entriesPerPage) }, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

const foldedPerPage = 50

/** A page of the events that an entry was folded from, newest first. */
export const foldedEventsQuery = (filters: LogFilters, { id, timestamp, folded }: AuditEntryView, page: number) =>
  queryOptions({
    queryKey: [...auditKey, 'folded', filters, id, folded?.since, page],
    queryFn: async ({ signal }): Promise<AuditEventView[]> => {
      const range = { from: folded?.since ?? timestamp, to: timestamp }
      const query = toQuery({ ...filters, ...range, page }, foldedPerPage)
      return (await read({ ...query, foldedWith: id, skipCount: 'true' }, signal)).data
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** What devices do all the time, and would hide what people did. */
const frequentActions = ['agent.heartbeat.state_change', 'agent.source.ip.changed', 'agent.command.result.submit']
const recentEntries = 30

/** The newest entries, without those that devices write all the time. */
export const recentEntriesQuery = ({ from, org }: { from: string; org: string | undefined }) =>
  queryOptions({
    queryKey: [...auditKey, 'recent', { from, org }],
    queryFn: async ({ signal }) => {
      const query = { from, orgId: org, limit: String(recentEntries), excludeActions: frequentActions.join(',') }
      return (await api.call(listAuditEntries, { query }, signal)).data
    },
    refetchInterval: 60_000,
  })

/** Who archived an organization last; null where the log does not say. */
export const archivedByQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...auditKey, 'archived-by', orgId],
    queryFn: async ({ signal }) => {
      const query = { resource: orgId, action: 'org.archive.requested', limit: '1', skipCount: 'true' as const }
      return (await api.call(listAuditEvents, { query }, signal)).data[0]?.user.name ?? null
    },
  })

/** The number of all matches; `newest` is part of the key so that a new event counts again. */
export const countQuery = ({ page: _page, ...logPage }: LogPage, newest: string | undefined) =>
  queryOptions({
    queryKey: [...auditKey, 'count', logPage, newest],
    queryFn: async ({ signal }) => (await read(toQuery(logPage, 1), signal)).pagination.total,
    staleTime: 0,
  })

export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: [...auditKey, 'one', id],
    queryFn: ({ signal }) => api.call(readAuditEvent, { params: { id } }, signal),
    // Events never change.
    staleTime: Number.POSITIVE_INFINITY,
  })
