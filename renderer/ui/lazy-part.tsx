import { useQuery } from '@tanstack/react-query'
import type { ComponentType, ReactNode } from 'react'
import { loadCode } from '../lib/load-code.ts'
import { LoadFailed } from './states.tsx'

/**
 * A part of a page whose code is loaded when it is first rendered. React's `lazy` caches a failure; this one retries
 * when the appliance is reachable again, and shows the error in its own place.
 */
export function lazyPart<Props extends object>(
  name: string,
  load: () => Promise<ComponentType<Props>>,
  meanwhile: ReactNode,
): ComponentType<Props> {
  return function LazyPart(props) {
    const { data, error, refetch } = useQuery({
      queryKey: ['appliance', 'code', name],
      queryFn: async () => ({ Part: await loadCode(load) }),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: Number.POSITIVE_INFINITY,
    })
    if (data) return <data.Part {...props} />
    return error ? <LoadFailed error={error} onRetry={refetch} /> : meanwhile
  }
}
