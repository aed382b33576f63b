import { useNavigate, useSearch } from '@tanstack/react-router'
import type { LogFilters, LogPage } from '../../data/audit-log.ts'

/** What is looked for stands in the address, so that a link shows others the same. */
export function useLogSearch() {
  const search = useSearch({ from: '/app/audit' })
  const navigate = useNavigate({ from: '/audit' })
  const { q, user, action, resource, result, from, to, org, page, until } = search
  const filters: LogFilters = { q, user, action, resource, result, from, to, org }
  // A page that is not the first goes back to the moment at which paging began.
  const place: LogPage = { ...filters, ...(page && until && { page, until }) }
  const look = (change: LogFilters, replace: boolean) =>
    navigate({
      search: (old) => ({ ...old, ...change, page: undefined, until: undefined, event: undefined }),
      replace,
    })
  return {
    search,
    filters,
    place,
    isFiltered: [q, user, action, resource, result, from, to].some(Boolean),
    narrow: (change: LogFilters) => look(change, false),
    /** Narrows letter by letter, which is nothing to go back to. */
    narrowAsTyped: (change: LogFilters) => look(change, true),
    turnTo: (next: number, moment: string | undefined) =>
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
