import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { readHome } from '../../shared/api/home.ts'
import { api } from '../lib/api.ts'

export const homeKeys = { all: ['home'] as const }

export const homeQuery = (orgId: string | undefined) =>
  queryOptions({
    queryKey: [...homeKeys.all, { orgId }],
    queryFn: ({ signal }) => api.call(readHome, { query: { orgId } }, signal),
    placeholderData: keepPreviousData,
    // Live events bring most changes; that time passes, they do not say.
    refetchInterval: 60_000,
  })

/** Once a minute on every page, also while the tab is hidden; live events do not refetch it. */
export const homeInBackgroundQuery = queryOptions({
  queryKey: ['home-in-background'],
  queryFn: ({ signal }) => api.call(readHome, { query: {} }, signal),
  refetchInterval: 60_000,
  refetchIntervalInBackground: true,
})
