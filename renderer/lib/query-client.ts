import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'

/** Live events tell what became stale, so data is not read again for every focus of the window. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) =>
        error instanceof ApiError && error.isTransient && error.status !== 429 && failures < 2,
    },
  },
})
