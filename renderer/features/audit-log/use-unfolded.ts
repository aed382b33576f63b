import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import type { AuditEntryView, AuditEventView } from '../../../shared/api/audit-log.ts'
import { foldedEventsQuery, type LogFilters, type LogPage } from '../../data/audit-log.ts'

/** Which entries of a page are open, and how many pages of their events are shown. */
export interface Unfolding {
  pages: Readonly<Record<string, number>>
  toggle: (id: string) => void
  showMore: (id: string) => void
}

export function useUnfolding(logPage: LogPage): Unfolding {
  const key = JSON.stringify(logPage)
  const [state, setState] = useState<{ key: string; pages: Record<string, number> }>({ key, pages: {} })
  // Another page or other filters begin closed.
  if (state.key !== key) setState({ key, pages: {} })
  const pages = state.key === key ? state.pages : {}
  return {
    pages,
    toggle: (id) => {
      const { [id]: shown, ...others } = pages
      setState({ key, pages: shown === undefined ? { ...others, [id]: 1 } : others })
    },
    showMore: (id) => setState({ key, pages: { ...pages, [id]: (pages[id] ?? 0) + 1 } }),
  }
}

/** What is shown of an open entry. */
export interface Unfolded {
  events: AuditEventView[]
  isLoading: boolean
  error: unknown
  retry: () => unknown
  hasMore: boolean
}

/** The open entries, by id. */
export function useUnfolded(
  filters: LogFilters,
  entries: readonly AuditEntryView[],
  { pages }: Unfolding,
): ReadonlyMap<string, Unfolded> {
  const wanted = entries.flatMap((entry) =>
    Array.from({ length: pages[entry.id] ?? 0 }, (_, at) => ({ entry, page: at + 1 })),
  )
  const results = useQueries({ queries: wanted.map(({ entry, page }) => foldedEventsQuery(filters, entry, page)) })
  const unfolded = new Map<string, Unfolded>()
  for (const [at, { entry }] of wanted.entries()) {
    const { data = [], error = null, isPending = true, refetch } = results[at] ?? {}
    const events = [...(unfolded.get(entry.id)?.events ?? []), ...data]
    const hasMore = events.length < (entry.folded?.count ?? 0) && data.length > 0
    unfolded.set(entry.id, { events, isLoading: isPending && !error, error, retry: () => refetch?.(), hasMore })
  }
  return unfolded
}
