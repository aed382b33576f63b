import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { search } from '../../shared/api/search.ts'
import { api } from '../lib/api.ts'

/** The best matches of every kind for a text. */
export const searchQuery = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    queryFn: ({ signal }) => api.call(search, { query: { q: text } }, signal),
    enabled: text !== '',
    placeholderData: keepPreviousData,
    staleTime: 5000,
    gcTime: 60_000,
  })
