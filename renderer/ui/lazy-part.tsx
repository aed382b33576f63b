import { useQuery } from '@tanstack/react-query'
import type { ComponentType, ReactNode } from 'react'
import { loadCode } from '../lib/load-code.ts'
import { LoadFailed } from './states.tsx'

/**
 * A part of a page whose code is fetched when it is first drawn. React's own `lazy` remembers a failure for ever; this
 * one is asked for anew as soon as the appliance is back, and fails in its own place.
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
