import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'

/**
 * Live events tell what became stale, so a focused window does not refetch. "Online" means that the live stream is
 * up: when it returns, failed queries are retried, but its absence blocks no call.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      networkMode: 'always',
      refetchOnReconnect: true,
      refetchOnWindowFocus: false,
      retry: (failures, error) =>
        error instanceof ApiError && error.isTransient && error.status !== 429 && failures < 2,
    },
    mutations: { networkMode: 'always' },
  },
})
