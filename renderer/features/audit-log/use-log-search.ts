import { useNavigate, useSearch } from '@tanstack/react-router'
import type { LogFilters, LogPage } from '../../data/audit-log.ts'

/** Filters and page live in the URL, so that a link shows others the same. */
export function useLogSearch() {
  const search = useSearch({ from: '/app/audit' })
  const navigate = useNavigate({ from: '/audit' })
  const { q, user, action, resource, target, result, from, to, org, page, until } = search
  const filters: LogFilters = { q, user, action, resource, result, from, to, org }
  // Pages after the first are counted from the time at which paging began.
  const logPage: LogPage = { ...filters, ...(page && until && { page, until }) }
  const applyFilters = (change: LogFilters, replace: boolean) =>
    navigate({
      search: (old) => ({
        ...old,
        ...('resource' in change && { target: undefined }),
        ...change,
        page: undefined,
        until: undefined,
        event: undefined,
      }),
      replace,
    })
  return {
    search,
    filters,
    logPage,
    targetName: target,
    isFiltered: [q, user, action, resource, result, from, to].some(Boolean),
    setFilter: (change: LogFilters) => applyFilters(change, false),
    /** Filters while typing; replaces the history entry. */
    setFilterWhileTyping: (change: LogFilters) => applyFilters(change, true),
    goToPage: (next: number, moment: string | undefined) =>
      navigate({
        search: (old) => ({
          ...old,
          page: next > 1 ? next : undefined,
          until: next > 1 ? moment : undefined,
          event: undefined,
        }),
      }),
    openEvent: (event: string | undefined) =>
      navigate({
        search: (old) => ({ ...old, event }),
        replace: search.event !== undefined,
        resetScroll: false,
      }),
  }
}

export const noFilters: LogFilters = {
  q: undefined,
  user: undefined,
  action: undefined,
  resource: undefined,
  result: undefined,
  from: undefined,
  to: undefined,
}
