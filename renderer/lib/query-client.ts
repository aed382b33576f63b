import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'

/**
 * Live events tell what became stale, so data is not read again for every focus of the window. "Online" is whether
 * the live stream stands: its return reads again what failed, but its absence keeps no call from being tried.
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
